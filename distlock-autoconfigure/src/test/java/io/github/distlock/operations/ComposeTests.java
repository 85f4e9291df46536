package io.github.distlock.operations;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The files for Docker, which no test runs: they are valid, and agree with each other and
 * with the sample.
 */
@SuppressWarnings("unchecked")
class ComposeTests {

	private static final Path SAMPLE = Path.of("..", "sample-inventory-app");

	private final Map<String, Map<String, Object>> services = (Map<String, Map<String, Object>>) OperationsFiles
		.yaml("compose.yaml")
		.get("services");

	@Test
	void eachServiceHasAnImageWithAVersion() throws IOException {
		String pom = Files.readString(SAMPLE.resolve("pom.xml"));
		assertThat(this.services).isNotEmpty().allSatisfy((name, service) -> {
			String image = (String) service.get("image");
			if (image.startsWith("distlock-sample:")) {
				assertThat(pom)
					.contains("<spring-boot.build-image.imageName>" + image + "</spring-boot.build-image.imageName>");
			}
			else {
				assertThat(image).matches(".+:.*\\d.*");
			}
		});
	}

	@Test
	void eachMountedFileExists() {
		List<String> mounted = new ArrayList<>();
		this.services.values()
			.forEach((service) -> mounted.addAll((List<String>) service.getOrDefault("volumes", List.of())));
		assertThat(mounted).isNotEmpty()
			.allSatisfy((volume) -> assertThat(OperationsFiles.FOLDER.resolve(volume.split(":")[0])).isRegularFile());
	}

	@Test
	void noPortIsPublishedTwiceAndNoneBeyondThisMachine() {
		List<String> ports = new ArrayList<>();
		this.services.values()
			.forEach((service) -> ports.addAll((List<String>) service.getOrDefault("ports", List.of())));
		assertThat(ports).isNotEmpty().allMatch((port) -> port.startsWith("127.0.0.1:"));
		assertThat(ports.stream().map((port) -> port.split(":")[1])).doesNotHaveDuplicates();
	}

	@Test
	void eachServiceThatAnotherOneNamesExists() {
		this.services.forEach((name, service) -> {
			Object needed = service.getOrDefault("depends_on", List.of());
			Set<String> names = (needed instanceof Map) ? ((Map<String, ?>) needed).keySet()
					: Set.copyOf((List<String>) needed);
			assertThat(this.services.keySet()).as(name).containsAll(names);
			Map<String, String> environment = (Map<String, String>) service.getOrDefault("environment", Map.of());
			hosts(environment.getOrDefault("SAMPLE_ORDERS_INVENTORYNODES", ""), name);
			hosts(environment.getOrDefault("SPRING_DATASOURCE_URL", "").replaceFirst("^jdbc:", ""), name);
			if (environment.containsKey("SPRING_DATA_REDIS_HOST")) {
				assertThat(this.services).as(name).containsKey(environment.get("SPRING_DATA_REDIS_HOST"));
			}
		});
	}

	@Test
	void prometheusScrapesTheNodesOfTheSampleAndLoadsTheRules() {
		Map<String, Object> configuration = OperationsFiles.yaml("compose/prometheus.yml");
		Map<String, Object> scrape = ((List<Map<String, Object>>) configuration.get("scrape_configs")).get(0);
		assertThat(scrape).containsEntry("metrics_path", "/actuator/prometheus");
		List<String> targets = ((List<Map<String, List<String>>>) scrape.get("static_configs")).get(0).get("targets");
		assertThat(targets).isNotEmpty().allSatisfy((target) -> {
			String[] address = target.split(":");
			assertThat(this.services).containsKey(address[0]);
			assertThat((Map<String, String>) this.services.get(address[0]).get("environment"))
				.containsEntry("SERVER_PORT", address[1]);
		});
		assertThat((List<String>) configuration.get("rule_files")).containsExactly("alerts.yaml");
		assertThat(volumes("prometheus")).contains("./alerts.yaml:/etc/prometheus/alerts.yaml:ro",
				"./compose/prometheus.yml:/etc/prometheus/prometheus.yml:ro");
	}

	@Test
	void grafanaFindsItsDataSourceAndTheDashboard() {
		Map<String, Object> source = ((List<Map<String, Object>>) OperationsFiles
			.yaml("compose/grafana-datasources.yaml")
			.get("datasources")).get(0);
		assertThat(source).containsEntry("type", "prometheus").containsEntry("url", "http://prometheus:9090");
		Map<String, Object> provider = ((List<Map<String, Object>>) OperationsFiles
			.yaml("compose/grafana-dashboards.yaml")
			.get("providers")).get(0);
		String folder = ((Map<String, String>) provider.get("options")).get("path");
		assertThat(volumes("grafana")).contains("./distlock-dashboard.json:" + folder + "/distlock-dashboard.json:ro")
			.allMatch(
					(volume) -> volume.contains(":/etc/grafana/provisioning/") || volume.contains(":" + folder + "/"));
	}

	@Test
	void thePageSaysThatTheFilesWereNotRun() {
		assertThat(OperationsFiles.text("README.md")).contains("**was parsed and not run**");
	}

	private List<String> volumes(String service) {
		return (List<String>) this.services.get(service).get("volumes");
	}

	/** Check that the hosts of some addresses are services. */
	private void hosts(String addresses, String service) {
		for (String address : addresses.split(",")) {
			if (!address.isEmpty()) {
				assertThat(this.services).as(service).containsKey(URI.create(address).getHost());
			}
		}
	}

}
