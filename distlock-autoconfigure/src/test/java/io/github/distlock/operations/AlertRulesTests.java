package io.github.distlock.operations;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The alerts: valid, complete, and tested with Prometheus' own tool.
 */
class AlertRulesTests {

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
	void eachAlertSaysWhatHappenedHowSevereItIsAndWhereToReadOn(Map<String, Object> rule) {
		assertThat(rule).containsKeys("alert", "expr", "for");
		assertThat(rule.get("labels")).asInstanceOf(InstanceOfAssertFactories.MAP)
			.hasEntrySatisfying("severity", (severity) -> assertThat(severity).isIn("critical", "warning"));
		assertThat(rule.get("annotations")).asInstanceOf(InstanceOfAssertFactories.MAP)
			.containsKeys("summary", "description")
			.hasEntrySatisfying("runbook_url", (url) -> assertThat(OperationsFiles.anchors("runbook.md"))
				.contains(String.valueOf(url).replaceFirst("^runbook\\.md#", "")));
	}

	@Test
	@SuppressWarnings("unchecked")
	void eachAlertHasATestInWhichItFiresAndOneInWhichItDoesNot() {
		List<Map<String, Object>> tests = (List<Map<String, Object>>) OperationsFiles.yaml("alerts_test.yaml")
			.get("tests");
		List<Map<String, Object>> cases = tests.stream()
			.flatMap((test) -> ((List<Map<String, Object>>) test.get("alert_rule_test")).stream())
			.toList();
		assertThat(OperationsFiles.rules()).isNotEmpty().allSatisfy((rule) -> {
			Object alert = rule.get("alert");
			assertThat(cases).filteredOn((test) -> test.get("alertname").equals(alert))
				.anyMatch((test) -> test.containsKey("exp_alerts"))
				.anyMatch((test) -> !test.containsKey("exp_alerts"));
		});
	}

	private static void promtool(String... arguments) throws Exception {
		String program = OperationsFiles.assumeInstalled("promtool", "prometheus").toString();
		List<String> command = new ArrayList<>(List.of(program));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).directory(OperationsFiles.FOLDER.toFile())
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
	}

}
