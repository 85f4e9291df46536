package io.github.distlock.operations;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The dashboard for Grafana, as far as it can be checked without Grafana.
 */
class DashboardTests {

	private final JsonNode dashboard = OperationsFiles.dashboard();

	@Test
	void itNamesWhatItRequires() {
		Set<String> used = new TreeSet<>(Set.of("grafana", "prometheus"));
		for (JsonNode panel : OperationsFiles.panels()) {
			if (!panel.path("type").asString().equals("row")) {
				used.add(panel.path("type").asString());
			}
		}
		assertThat(this.dashboard.path("__requires").valueStream().map((required) -> required.path("id").asString()))
			.containsExactlyInAnyOrderElementsOf(used);
	}

	@Test
	void eachPanelSaysWhatItShowsAndAsksTheChosenDataSource() {
		List<JsonNode> panels = OperationsFiles.panels()
			.stream()
			.filter((panel) -> !panel.path("type").asString().equals("row"))
			.toList();
		assertThat(panels).isNotEmpty().allSatisfy((panel) -> {
			String title = panel.path("title").asString();
			assertThat(panel.path("description").asString()).as(title).isNotBlank();
			assertThat(panel.path("datasource").path("uid").asString()).as(title).isEqualTo("${datasource}");
			assertThat(panel.path("targets").valueStream()).as(title).isNotEmpty().allSatisfy((target) -> {
				assertThat(target.path("datasource").path("uid").asString()).isEqualTo("${datasource}");
				assertThat(target.path("expr").asString()).contains("application=~\"$application\"",
						"instance=~\"$instance\"");
			});
		});
	}

	@Test
	void eachAlertThatAPanelNamesExists() {
		Set<String> alerts = new TreeSet<>();
		OperationsFiles.rules().forEach((rule) -> alerts.add(rule.path("alert").asString()));
		Set<String> named = new TreeSet<>();
		for (JsonNode panel : OperationsFiles.panels()) {
			Pattern.compile("Distlock\\w+")
				.matcher(panel.path("description").asString())
				.results()
				.forEach((alert) -> named.add(alert.group()));
		}
		assertThat(named).isEqualTo(alerts);
	}

}
