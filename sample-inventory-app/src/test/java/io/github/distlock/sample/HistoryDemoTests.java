package io.github.distlock.sample;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The steps of the idea: real processes, real servers. {@link LabTests} has what breaks
 * them.
 */
@Timeout(600)
class HistoryDemoTests {

	@Test
	void unharmedOnlyThoseOversellThatDoNotKeepTheOtherNodeOut() throws Exception {
		List<String> verdicts = run("history", "--strategies=all", "--orders=60", "--stock=40");
		assertThat(verdicts).containsExactly("none none oversells", "synchronized none oversells", "mkdir none holds",
				"setnx none holds", "setnx-expire none holds", "setnx-getset none holds", "set-ex-fixed none holds",
				"set-px-unique none holds", "optimistic none holds", "for-update none holds", "segments none holds",
				"distributed-lock none holds", "redis none holds", "redis-fair none holds", "redlock none holds",
				"jdbc-lease none holds", "jdbc-row none holds", "zookeeper none holds", "local none oversells");
	}

	/**
	 * Run, and expect that the program's own judgement is the same.
	 */
	private static List<String> run(String name, String... args) throws Exception {
		Path report = Path.of("target", "tmp", name + ".json").toAbsolutePath();
		List<String> all = new ArrayList<>(List.of(args));
		all.addAll(List.of("--exit", "--buyers=16", "--report=" + report));
		try (DemoProcess demo = new DemoProcess(name, all.toArray(String[]::new))) {
			int status = demo.awaitStatus();
			assertThat(status).as(demo.output()).isZero();
			List<String> verdicts = new ArrayList<>();
			for (JsonNode run : JsonMapper.builder().build().readTree(Files.readString(report)).path("runs")) {
				verdicts.add("%s %s %s".formatted(run.path("strategy").asString(), run.path("fault").asString(),
						run.path("verdict").asString()));
				assertThat(run.path("why").asString()).isNotBlank();
			}
			return verdicts;
		}
	}

}
