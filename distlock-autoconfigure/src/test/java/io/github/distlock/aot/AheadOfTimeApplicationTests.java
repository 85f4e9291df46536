package io.github.distlock.aot;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.aot.agent.RecordedInvocation;
import org.springframework.boot.SpringApplicationAotProcessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * An application with every feature is processed ahead of time, and runs in another JVM
 * with the generated bean definitions. Spring's hints agent records the reflective calls
 * of that run, and each must be covered by the metadata for the native image.
 */
class AheadOfTimeApplicationTests {

	private static final List<String> output = new ArrayList<>();

	/** How a start with another store than that of the build ends. */
	private static Throwable otherStore;

	@BeforeAll
	static void runTheApplication(@TempDir Path folder) throws Exception {
		// The build opens no connection, so the servers start meanwhile.
		int[] ports = { RedisTestServer.freePort(), RedisTestServer.freePort(), RedisTestServer.freePort(),
				RedisTestServer.freePort() };
		String classes = folder.resolve("classes") + File.pathSeparator + System.getProperty("java.class.path");
		Path agent = Path.of(RecordedInvocation.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		List<String> options = List.of("-Xmx900m", "-XX:+ExitOnOutOfMemoryError", "-Dspring.aot.enabled=true",
				"-javaagent:" + agent + "=+io.github.distlock,+org.springframework,+tools.jackson", "-cp", classes);
		Stream<String> unknown = Stream.of("--zookeeper=", "--spring.datasource.url=jdbc:postgresql:");
		try (ChildJvm build = ChildJvm.start(List.of("-Xmx400m"), AheadOfTimeApplicationTests.class,
				Stream.concat(Stream.of(folder.toString()), settings(ports, unknown)).toArray(String[]::new));
				RedisTestServer redis = RedisTestServer.start(ports[0]);
				RedisTestServer first = RedisTestServer.start(ports[1]);
				RedisTestServer second = RedisTestServer.start(ports[2]);
				RedisTestServer third = RedisTestServer.start(ports[3]);
				ZooKeeperTestServer zooKeeper = ZooKeeperTestServer.start();
				EmbeddedPostgres postgres = EmbeddedPostgres.builder()
					.setPGStartupWait(Duration.ofMinutes(2))
					.setServerConfig("fsync", "off")
					.start()) {
			output.addAll(build.linesBefore("built"));
			List<String> known = new ArrayList<>(List.of("--zookeeper=" + zooKeeper.connectString(),
					"--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres")));
			try (ChildJvm run = ChildJvm.start(options, AheadOfTimeRun.class,
					settings(ports, known.stream()).toArray(String[]::new))) {
				output.addAll(run.linesBefore("checked"));
			}
			known.add("--distlock.backend=jdbc");
			try (ChildJvm run = ChildJvm.start(options, AheadOfTimeRun.class,
					settings(ports, known.stream()).toArray(String[]::new))) {
				otherStore = catchThrowable(() -> run.linesBefore("used every feature"));
			}
		}
	}

	private static Stream<String> settings(int[] ports, Stream<String> addresses) {
		Stream.Builder<String> settings = Stream.builder();
		settings.add("--spring.config.location=classpath:ahead-of-time.properties");
		settings.add("--spring.data.redis.port=" + ports[0]);
		for (int i = 1; i < ports.length; i++) {
			settings.add("--distlock.redlock.nodes[" + (i - 1) + "].host=127.0.0.1");
			settings.add("--distlock.redlock.nodes[" + (i - 1) + "].port=" + ports[i]);
		}
		return Stream.concat(settings.build(), addresses);
	}

	private static List<String> lines(String start) {
		return output.stream()
			.filter((line) -> line.startsWith(start))
			.map((line) -> line.substring(start.length()))
			.toList();
	}

	@Test
	void everyFeatureWorksWithGeneratedBeanDefinitions() {
		assertThat(output).anyMatch((line) -> line.contains("Starting AOT-processed AheadOfTimeRun"));
		assertThat(lines("used every feature")).as(String.join("\n", output)).hasSize(1);
	}

	@Test
	void aStartWithAnotherStoreThanThatOfTheBuildFails() {
		assertThat(otherStore).hasMessageContaining("APPLICATION FAILED TO START")
			.hasMessageContaining("Property 'distlock.backend' is 'jdbc, with ")
			.hasMessageContaining("ahead of time, which decides the stores, had 'redis, with ");
	}

	@Test
	void everyReflectiveCallOfTheLibraryAndOnLockedClassesHasAHint() {
		assertThat(lines("recorded ")).singleElement().extracting(Integer::valueOf).satisfies((calls) -> {
			assertThat(calls).isGreaterThan(1000);
		});
		assertThat(lines("unhinted ")).isEmpty();
	}

	@Test
	void noProxyClassIsGeneratedAtRunTime() {
		assertThat(lines("generated ")).isEmpty();
		assertThat(lines("proxy ")).contains("io.github.distlock.aot.LockedWork$$SpringCGLIB$$0");
	}

	/**
	 * Does what the goal {@code process-aot} of Spring Boot's plugin does: generates
	 * sources, classes and hints, and compiles the sources. Arguments: the output folder,
	 * and those of the application.
	 */
	public static void main(String[] arguments) throws Exception {
		PrintStream out = System.out;
		out.println("started");
		Path output = Path.of(arguments[0]);
		Path sources = output.resolve("sources");
		Path classes = output.resolve("classes");
		Stream<String> settings = Stream.of(AheadOfTimeRun.class.getName(), sources.toString(), classes.toString(),
				classes.toString(), "io.github.distlock", "ahead-of-time");
		SpringApplicationAotProcessor
			.main(Stream.concat(settings, Stream.of(arguments).skip(1)).toArray(String[]::new));
		compile(sources, classes);
		out.println("built");
		System.exit(0);
	}

	private static void compile(Path sources, Path classes) throws IOException {
		Stream<String> options = Stream.of("-proc:none", "-nowarn", "-d", classes.toString(), "-cp",
				classes + File.pathSeparator + System.getProperty("java.class.path"));
		try (Stream<Path> found = Files.walk(sources)) {
			Stream<String> files = found.map(Path::toString).filter((file) -> file.endsWith(".java"));
			assertThat(ToolProvider.getSystemJavaCompiler()
				.run(null, null, null, Stream.concat(options, files).toArray(String[]::new))).isZero();
		}
	}

}
