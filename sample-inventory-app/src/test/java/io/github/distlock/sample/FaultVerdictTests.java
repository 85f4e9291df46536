package io.github.distlock.sample;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.github.distlock.sample.LabClient.Event;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What each fault of the lab does to which lock. Apart from {@link LabTests}, so that
 * both run at the same time.
 */
class FaultVerdictTests {

	@AutoClose
	private static LabProcess process;

	private static LabClient lab;

	@BeforeAll
	static void startTheLab() throws Exception {
		process = LabProcess.start("faults");
		lab = process.lab();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "crash | mkdir blocks, distributed-lock holds",
			"pause | set-px-unique oversells, distributed-lock holds" })
	void aFaultDamagesTheLocksThatItMustAndNoOther(String fault, String verdicts) throws Exception {
		checkVerdicts(fault, verdicts);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "crash | setnx blocks, setnx-expire blocks",
			"crash | setnx-getset holds, set-ex-fixed holds",
			"slow | mkdir holds, setnx-expire oversells, setnx-getset oversells, set-ex-fixed oversells, "
					+ "set-px-unique oversells, distributed-lock holds",
			"clock | mkdir holds, setnx-expire holds, setnx-getset oversells, set-ex-fixed holds, set-px-unique holds, "
					+ "distributed-lock holds",
			"pause | redis oversells" })
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true",
			disabledReason = "Each verdict takes seconds: -Ddistlock.full=true has all of them")
	void eachFaultDamagesTheLocksThatItMustAndNoOther(String fault, String verdicts) throws Exception {
		checkVerdicts(fault, verdicts);
	}

	private static void checkVerdicts(String fault, String verdicts) throws Exception {
		List<String> expected = List.of(verdicts.split(", "));
		String strategies = expected.stream()
			.map((each) -> "\"" + each.split(" ")[0] + "\"")
			.collect(Collectors.joining(","));
		try (LabClient.Events stream = lab.events("")) {
			List<Event> events = stream.untilEnd(lab.start("{\"strategies\":[" + strategies + "],\"fault\":\"" + fault
					+ "\",\"orders\":60,\"stock\":40,\"buyers\":16}"));
			for (int trial = 0; trial < expected.size(); trial++) {
				JsonNode verdict = LabTests.last(events, trial, "verdict");
				assertThat(expected.get(trial)).as(verdict.toString())
					.endsWith(" " + verdict.path("verdict").asString().toLowerCase(Locale.ROOT));
				assertThat(verdict.path("expected").asBoolean()).as("judgement of the program: " + verdict).isTrue();
				assertThat(verdict.path("why").asString()).isNotBlank();
			}
		}
	}

}
