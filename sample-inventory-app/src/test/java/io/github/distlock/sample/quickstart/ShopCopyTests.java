package io.github.distlock.sample.quickstart;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.distlock.sample.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import redis.embedded.RedisServer;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The eight files of the shop, copied into an application as its page says, and run in
 * two JVMs over one Redis.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
class ShopCopyTests {

	private static final Path SAMPLE = Path.of("").toAbsolutePath();

	private static final String PACKAGE = "io.github.distlock.sample.shop";

	private static final List<String> FILES = List.of("ShopApplication", "StockController", "StockService",
			"StockRepository", "OrderService");

	private static RedisServer redis;

	private static ShopInstance one;

	private static ShopInstance two;

	@BeforeAll
	static void copyBuildAndStart() throws Exception {
		MavenBuild maven = MavenBuild.assumeRunning();
		Path project = Path.of("target", "shop-copy").toAbsolutePath();
		FileSystemUtils.deleteRecursively(project);
		// Without this folder Maven would use the options of the project around it.
		Files.createDirectories(project.resolve(".mvn"));
		String page = Files.readString(SAMPLE.resolve("README.md"));
		Files.writeString(project.resolve("pom.xml"), QuickStartPage.pom(page));
		for (String file : FILES) {
			assertThat(page).contains(file + ".java");
			copy("src/main/java", file, project);
		}
		copy("src/test/java", "ShopTests", project);
		for (String file : List.of("schema.sql", "application.yml")) {
			Path target = project.resolve("src/main/resources").resolve(file);
			Files.createDirectories(target.getParent());
			Files.copy(SAMPLE.resolve("src/main/resources").resolve(file), target);
		}
		String version = QuickStartTests.version();
		try (TemporaryRepository repository = new TemporaryRepository(project.resolve("repository"), version)) {
			repository.create(maven.repository(), SAMPLE.resolve("..").normalize());
			List<String> arguments = new ArrayList<>(MavenBuild.offline());
			// The test is compiled. It has run as one of this module.
			arguments.addAll(List.of("-DskipTests", "package"));
			maven.run(project, repository.folder(), Map.of(), arguments);
		}
		redis = TestRedis.start();
		int port = redis.ports().get(0);
		Path jar = project.resolve("target/shop-1.jar");
		one = new ShopInstance(jar, project.resolve("one.log"), port, "--shop.wait-time=1s",
				"--distlock.redis.command-timeout=3s");
		one.awaitStart();
		two = new ShopInstance(jar, project.resolve("two.log"), port, "--shop.work=10m");
		two.awaitStart();
	}

	@AfterAll
	static void stop() throws Exception {
		for (ShopInstance instance : new ShopInstance[] { one, two }) {
			if (instance != null) {
				instance.close();
			}
		}
		if (redis != null) {
			redis.stop();
		}
	}

	@Test
	void aBuyerGetsConflictWhileTheOtherJvmHoldsTheLockForLongerThanTheWaitTime() {
		one.put("/stock/ticket?quantity=1000000").join();
		two.post("/stock/ticket/deduct");
		HttpResponse<String> answer = one.post("/stock/ticket/deduct").join();
		// Until the other JVM has the lock.
		while (answer.body().contains("\"accepted\":true")) {
			answer = one.post("/stock/ticket/deduct").join();
		}
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
		assertThat(answer.body()).contains("\"detail\":\"StockService.sell is in use\"");
		assertThat(one.post("/stock/book/deduct").join().body()).isEqualTo("{\"accepted\":false,\"serial\":null}");
	}

	private static void copy(String sources, String name, Path project) throws IOException {
		Path source = SAMPLE.resolve(sources).resolve(PACKAGE.replace('.', '/')).resolve(name + ".java");
		Path target = project.resolve(sources).resolve("com/example/shop").resolve(name + ".java");
		Files.createDirectories(target.getParent());
		Files.writeString(target, Files.readString(source).replace(PACKAGE, "com.example.shop"));
	}

}
