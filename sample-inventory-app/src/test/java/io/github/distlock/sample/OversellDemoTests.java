package io.github.distlock.sample;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The whole demonstration: real processes, a real Redis, a real database server.
 */
class OversellDemoTests {

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	@Test
	void theLockSellsEveryUnitOnceAndTheOthersDoNot() throws Exception {
		Path report = Path.of("target", "tmp", "report.json").toAbsolutePath();
		try (DemoProcess demo = new DemoProcess("exit", "--exit", "--orders=200", "--stock=120",
				"--report=" + report)) {
			int status = demo.awaitStatus();
			JsonNode json = JsonMapper.builder().build().readTree(Files.readString(report));
			JsonNode runs = json.path("runs");
			for (int run : List.of(0, 1)) {
				JsonNode broken = runs.path(run);
				assertThat(broken.path("lostUpdates").asInt() + broken.path("oversold").asInt()).as(demo.output())
					.isPositive();
			}
			JsonNode locked = runs.path(2);
			assertThat(locked.path("strategy").asString()).isEqualTo("distributed-lock");
			assertThat(List.of("sold", "stockLeft", "oversold", "lostUpdates", "duplicates", "errors")
				.stream()
				.map((name) -> locked.path(name).asInt(-1))).as(demo.output()).containsExactly(120, 0, 0, 0, 0, 0);
			assertThat(status).as(demo.output()).isZero();
			assertThat(demo.output()).contains("sold twice")
				.contains("sold every ticket once")
				.containsPattern("Open http://localhost:[0-9]+/");
		}
	}

	@Test
	void nothingOutlivesAKilledLauncher() throws Exception {
		try (DemoProcess demo = new DemoProcess("kill", "--orders=20", "--stock=12")) {
			Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> demo.output().contains("Serving until stopped") || !demo.isAlive());
			Collection<ProcessHandle> family = demo.family();
			List<Long> printed = demo.printedPids();
			assertThat(temporaryRedisFolders(demo)).hasSize(1);
			// redis-server and the JVM around it, two inventory nodes
			assertThat(family).as(demo.output()).hasSize(4);
			assertThat(family.stream().map(ProcessHandle::pid)).containsAll(printed.subList(1, printed.size()));
			assertThat(printed).hasSize(4);
			demo.kill();
			Awaitility.await().atMost(PATIENCE).until(() -> family.stream().noneMatch(ProcessHandle::isAlive));
			assertThat(temporaryRedisFolders(demo)).isEmpty();
		}
	}

	@Test
	void aServiceThatFailsEndsTheDemonstrationAndSaysWhy() throws Exception {
		try (DemoProcess demo = new DemoProcess("fail", "--exit", "--spring.datasource.url=jdbc:nonsense:x")) {
			assertThat(demo.awaitStatus()).isEqualTo(1);
			assertThat(demo.output()).contains("inventory-")
				.contains("ended with status 1. The end of its log")
				.contains("jdbc:nonsense:x");
			assertThat(demo.family()).isEmpty();
		}
	}

	private static List<Path> temporaryRedisFolders(DemoProcess demo) throws Exception {
		try (Stream<Path> files = Files.list(demo.temporary())) {
			return files.filter((file) -> file.getFileName().toString().startsWith("distlock-sample-redis"))
				.sorted()
				.toList();
		}
	}

}
