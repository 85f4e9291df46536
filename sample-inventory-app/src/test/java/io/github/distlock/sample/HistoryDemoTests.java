package io.github.distlock.sample;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The steps of the idea: real processes, real servers. {@link FaultVerdictTests} has what
 * breaks them.
 */
class HistoryDemoTests {

	@Test
	void unharmedOnlyThoseOversellThatDoNotKeepTheOtherNodeOut() throws Exception {
		checkVerdicts("synchronized,for-update,distributed-lock", "synchronized none oversells",
				"for-update none holds", "distributed-lock none holds");
	}

	@Test
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true",
			disabledReason = "All steps take more than a minute: -Ddistlock.full=true has them")
	void allSteps() throws Exception {
		String output = checkVerdicts("all", "none none oversells", "synchronized none oversells", "mkdir none holds",
				"setnx none holds", "setnx-expire none holds", "setnx-getset none holds", "set-ex-fixed none holds",
				"set-px-unique none holds", "optimistic none holds", "for-update none holds", "segments none holds",
				"distributed-lock none holds", "redis none holds", "redis-fair none holds", "redlock none holds",
				"jdbc-lease none holds", "jdbc-connection none holds", "zookeeper none holds", "local none oversells");
		// Only the two modes of a JDBC store exclude each other.
		assertThat(output).containsOnlyOnce("restarting inventory-1 and inventory-2");
	}

	private static String checkVerdicts(String strategies, String... expected) throws Exception {
		Path report = Path.of("target", "tmp", "history.json").toAbsolutePath();
		try (DemoProcess demo = new DemoProcess("history", "--strategies=" + strategies, "--orders=60", "--stock=40",
				"--exit", "--buyers=16", "--report=" + report)) {
			// The program's own judgement is the same.
			assertThat(demo.awaitStatus()).as(demo.output()).isZero();
			List<String> verdicts = new ArrayList<>();
			for (JsonNode run : JsonMapper.builder().build().readTree(Files.readString(report)).path("runs")) {
				verdicts.add("%s %s %s".formatted(run.path("strategy").asString(), run.path("fault").asString(),
						run.path("verdict").asString()));
				assertThat(run.path("why").asString()).isNotBlank();
			}
			assertThat(verdicts).containsExactly(expected);
			return demo.output();
		}
	}

}
