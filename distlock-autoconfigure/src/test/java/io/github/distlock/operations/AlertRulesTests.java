package io.github.distlock.operations;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.docs.MarkdownPage;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The alerts: valid, complete, and tested with Prometheus' own tool.
 */
@Tag(Installed.TAG)
class AlertRulesTests {

	private static final String PAGE = "runbook.md#";

	@Test
	void promtoolAcceptsTheRules() throws Exception {
		promtool("check", "rules", "--lint=all", "--lint-fatal", "alerts.yaml");
	}

	@Test
	void promtoolPassesTheTestsOfTheRules() throws Exception {
		promtool("test", "rules", "alerts_test.yaml");
	}

	@ParameterizedTest
	@MethodSource("io.github.distlock.operations.OperationsFiles#rules")
	void eachAlertSaysWhatHappenedHowSevereItIsAndWhereToReadOn(JsonNode rule) {
		assertThat(rule.path("alert").asString()).isNotBlank();
		assertThat(rule.path("expr").asString()).isNotBlank();
		assertThat(rule.path("for").asString()).isNotBlank();
		assertThat(rule.path("labels").path("severity").asString()).isIn("critical", "warning");
		JsonNode annotations = rule.path("annotations");
		assertThat(annotations.path("summary").asString()).isNotBlank();
		assertThat(annotations.path("description").asString()).isNotBlank();
		String url = annotations.path("runbook_url").asString();
		assertThat(url).startsWith(PAGE);
		assertThat(MarkdownPage.of("docs/operations/runbook.md").anchors()).contains(url.substring(PAGE.length()));
	}

	@Test
	void eachAlertHasATestInWhichItFiresAndOneInWhichItDoesNot() {
		List<String> fires = new ArrayList<>();
		List<String> doesNot = new ArrayList<>();
		for (JsonNode test : OperationsFiles.yaml("alerts_test.yaml").path("tests")) {
			for (JsonNode each : test.path("alert_rule_test")) {
				(each.has("exp_alerts") ? fires : doesNot).add(each.path("alertname").asString());
			}
		}
		assertThat(OperationsFiles.rules()).isNotEmpty().allSatisfy((rule) -> {
			assertThat(fires).contains(rule.path("alert").asString());
			assertThat(doesNot).contains(rule.path("alert").asString());
		});
	}

	private static void promtool(String... arguments) throws Exception {
		Process process = start(arguments);
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
	}

	/** Pass a text to the tool and return what it answers, whatever its result is. */
	static String answerOfPromtool(String input, String... arguments) throws Exception {
		Process process = start(arguments);
		try (OutputStream in = process.getOutputStream()) {
			in.write(input.getBytes(StandardCharsets.UTF_8));
		}
		return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
	}

	private static Process start(String... arguments) throws IOException {
		String program = Installed.PROMTOOL.assume().toString();
		List<String> command = new ArrayList<>(List.of(program));
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).directory(OperationsFiles.FOLDER.toFile()).redirectErrorStream(true).start();
	}

}
