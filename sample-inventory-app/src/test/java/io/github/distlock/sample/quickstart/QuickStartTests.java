package io.github.distlock.sample.quickstart;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.distlock.sample.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import redis.embedded.RedisServer;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application of the README's quick start, built by Maven from the blocks of the page
 * and run in two JVMs over one Redis. The same build makes a {@link PlainConsumer}.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
class QuickStartTests {

	private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

	private static String path = "";

	private static RedisServer redis;

	private static ShopInstance one;

	private static ShopInstance two;

	private static PlainConsumer plain;

	@BeforeAll
	static void buildAndStart() throws Exception {
		MavenBuild maven = MavenBuild.assumeRunning();
		Path folder = Path.of("target", "quick-start").toAbsolutePath();
		FileSystemUtils.deleteRecursively(folder);
		QuickStartPage page = QuickStartPage.read(ROOT.resolve("README.md"));
		Path project = Files.createDirectories(folder.resolve("shop"));
		page.writeTo(project);
		plain = new PlainConsumer(folder.resolve("plain"), ROOT);
		plain.write(version());
		writeBuild(folder, "shop", "plain");
		try (TemporaryRepository repository = new TemporaryRepository(folder.resolve("repository"), version())) {
			repository.create(maven.repository(), ROOT);
			List<String> arguments = new ArrayList<>(MavenBuild.offline());
			arguments.addAll(List.of("-Dmaven.test.skip=true", "package"));
			maven.run(folder, repository.folder(), Map.of(), arguments);
		}
		path = page.path();
		redis = TestRedis.start();
		int port = redis.ports().get(0);
		Path jar = project.resolve("target/shop-1.jar");
		one = new ShopInstance(jar, folder.resolve("one.log"), port);
		two = new ShopInstance(jar, folder.resolve("two.log"), port);
		one.awaitStart();
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
	void aSecondCallGetsConflictWhileAnotherJvmHoldsTheLockAndACallWithAnotherKeyRuns() {
		one.post(path + "?seconds=1000");
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.until(() -> one.meters().contains("distlock_held{backend=\"redis\"} 1.0"));
		assertThat(one.locks()).contains("\"stock-42\"", "\"shop\"");
		HttpResponse<String> refused = two.post(path).join();
		assertThat(refused.statusCode()).isEqualTo(409);
		// Neither key nor holder: the client need not know them.
		assertThat(refused.body()).contains("\"detail\":\"StockService.deduct is in use\"")
			.doesNotContain("stock-42", "pid");
		HttpResponse<String> other = two.post(path.replace("42", "43")).join();
		assertThat(other.statusCode()).isEqualTo(200);
		assertThat(other.body()).isEqualTo("99");
		assertThat(two.meters()).containsPattern(
				"distlock_acquire_seconds_count\\{backend=\"redis\",name=\"StockService.deduct\",outcome=\"timeout\"} 1");
	}

	@Test
	void noDeductionIsLostWhileBothJvmsDeduct() {
		String stock = path.replace("42", "44");
		List<CompletableFuture<HttpResponse<String>>> calls = IntStream.range(0, 20)
			.boxed()
			.flatMap((n) -> Stream.of(one.post(stock), two.post(stock)))
			.toList();
		List<HttpResponse<String>> answers = calls.stream().map(CompletableFuture::join).toList();
		// On a slow machine the wait time of some calls passes: they deduct nothing.
		assertThat(answers).extracting(HttpResponse::statusCode).contains(200).isSubsetOf(200, 409);
		List<Integer> left = answers.stream()
			.filter((answer) -> answer.statusCode() == 200)
			.map((answer) -> Integer.valueOf(answer.body()))
			.toList();
		assertThat(left).containsExactlyInAnyOrderElementsOf(IntStream.range(100 - left.size(), 100).boxed().toList());
	}

	@Test
	void aProjectWithoutSpringBootsParentOrPluginRunsWithTheVersionsOfThePublishedPoms() throws Exception {
		assertThat(plain.run(redis.ports().get(0))).contains("fencing token ");
		// What the library can use, and does not bring.
		assertThat(plain.dependencies()).contains("distlock-autoconfigure", "spring-boot-starter-data-redis")
			.doesNotContain("distlock-parent", "junit", "hibernate", "postgresql", "curator", "actuator", ":test");
	}

	/** Write a project of Maven that contains the others. */
	private static void writeBuild(Path folder, String... modules) throws Exception {
		// Without this folder Maven would use the options of the project around it.
		Files.createDirectories(folder.resolve(".mvn"));
		Files.writeString(folder.resolve("pom.xml"), """
				<project xmlns="http://maven.apache.org/POM/4.0.0">
				  <modelVersion>4.0.0</modelVersion>
				  <groupId>com.example</groupId>
				  <artifactId>consumers</artifactId>
				  <version>1</version>
				  <packaging>pom</packaging>
				  <modules><module>%s</module></modules>
				</project>
				""".formatted(String.join("</module><module>", modules)));
	}

	/** The version in the pom of this project. */
	static String version() throws IOException {
		Matcher version = Pattern.compile("<version>([^<]+)</version>")
			.matcher(Files.readString(ROOT.resolve("pom.xml")));
		assertThat(version.find()).isTrue();
		return version.group(1);
	}

}
