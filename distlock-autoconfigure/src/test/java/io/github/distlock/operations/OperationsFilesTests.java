package io.github.distlock.operations;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.distlock.docs.MarkdownPage;
import io.github.distlock.testing.ProjectFiles;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The files for Docker, which no test runs: they are valid, and agree with each other and
 * with the sample. The dashboard for Grafana, as far as it can be checked without
 * Grafana.
 */
class OperationsFilesTests {

	private static final Path SAMPLE = Path.of("..", "sample-inventory-app");

	private final JsonNode services = OperationsFiles.yaml("compose.yaml").path("services");

	@Test
	void eachServiceHasAnImageWithAVersion() throws IOException {
		String pom = Files.readString(SAMPLE.resolve("pom.xml"));
		assertThat(this.services).isNotEmpty().allSatisfy((service) -> {
			String image = service.path("image").asString();
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
		assertThat(all("volumes")).isNotEmpty()
			.allSatisfy((volume) -> assertThat(OperationsFiles.FOLDER.resolve(volume.split(":")[0])).isRegularFile());
	}

	@Test
	void noPortIsPublishedTwiceAndNoneBeyondThisMachine() {
		assertThat(all("ports")).isNotEmpty().allMatch((port) -> port.startsWith("127.0.0.1:"));
		assertThat(all("ports").stream().map((port) -> port.split(":")[1])).doesNotHaveDuplicates();
	}

	@Test
	void eachServiceThatAnotherOneNamesExists() {
		List<String> names = new ArrayList<>();
		for (JsonNode service : this.services) {
			JsonNode needed = service.path("depends_on");
			names.addAll(needed.isObject() ? needed.propertyNames() : texts(needed));
			JsonNode environment = service.path("environment");
			for (String address : environment.path("SHOP_NODES").asString("").split(",")) {
				addHost(names, address);
			}
			addHost(names, environment.path("SPRING_DATASOURCE_URL").asString("").replaceFirst("^jdbc:", ""));
			if (environment.has("SPRING_DATA_REDIS_HOST")) {
				names.add(environment.path("SPRING_DATA_REDIS_HOST").asString());
			}
		}
		assertThat(names).contains("redis", "database", "orders-database", "inventory-1", "inventory-2", "prometheus");
		assertThat(this.services.propertyNames()).containsAll(names);
	}

	@Test
	void prometheusScrapesTheNodesOfTheSampleAndLoadsTheRules() {
		JsonNode configuration = OperationsFiles.yaml("compose/prometheus.yml");
		JsonNode scrape = configuration.path("scrape_configs").path(0);
		assertThat(scrape.path("metrics_path").asString()).isEqualTo("/actuator/prometheus");
		assertThat(texts(scrape.path("static_configs").path(0).path("targets"))).isNotEmpty().allSatisfy((target) -> {
			String[] address = target.split(":");
			assertThat(this.services.path(address[0]).path("environment").path("SERVER_PORT").asString(""))
				.isEqualTo(address[1]);
		});
		assertThat(texts(configuration.path("rule_files"))).containsExactly("alerts.yaml");
		assertThat(texts(this.services.path("prometheus").path("volumes"))).contains(
				"./alerts.yaml:/etc/prometheus/alerts.yaml:ro",
				"./compose/prometheus.yml:/etc/prometheus/prometheus.yml:ro");
	}

	private List<String> all(String property) {
		List<String> all = new ArrayList<>();
		this.services.forEach((service) -> all.addAll(texts(service.path(property))));
		return all;
	}

	private static List<String> texts(JsonNode list) {
		return list.valueStream().map(JsonNode::asString).toList();
	}

	private static void addHost(List<String> hosts, String address) {
		if (!address.isEmpty()) {
			hosts.add(URI.create(address).getHost());
		}
	}

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

	private static final Path SOURCES = Path.of("../distlock-autoconfigure/src/main/java/io/github/distlock");

	/** A log statement, or an exception for callers, up to the end of the statement. */
	private static final Pattern MESSAGE = Pattern.compile(
			"(?:\\.(?:info|warn|error)" + "|new (?:StartUp|Lock(?:NotAcquired|Lost|Backend))Exception)\\((.*?)\\);",
			Pattern.DOTALL);

	/** Words of its own, and then the whole message of an exception. */
	private static final Pattern REPEATED = Pattern
		.compile("(?:logger\\.\\w+|new (?:StartUp|LockBackend|StoreUnusable)Exception)\\(\\s*\"[^;]*?[:.] \""
				+ "\\s*\\+ (?:\\w+\\.getMessage\\(\\)|(?:\\w+\\.)*explain\\(\\w+\\))");

	private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

	private static final int TOO_SHORT = 8;

	/** How much of a message the page repeats at least. */
	private static final int BEGINNING = 30;

	private static String page = "";

	@BeforeAll
	static void readThePage() {
		page = OperationsFiles.text("runbook.md").replaceAll("\\s+", " ");
	}

	@Test
	void eachMessageOfTheLibraryIsOnThePage() throws IOException {
		Map<String, String> messages = messages();
		assertThat(messages).hasSizeGreaterThan(60);
		messages.keySet().removeIf(page::contains);
		assertThat(messages).as("Messages that docs/operations/runbook.md does not describe").isEmpty();
	}

	/** The reader of a log sees the beginning of a line. */
	@Test
	void aMessageThatRepeatsAnotherBeginsWithIt() throws IOException {
		List<String> late = new ArrayList<>();
		for (Path source : sources()) {
			REPEATED.matcher(Files.readString(source)).results().map(MatchResult::group).forEach(late::add);
		}
		assertThat(late).isEmpty();
	}

	@Test
	void eachSectionOfAnAlertSaysSymptomMeaningWhatToCheckAndWhatToDo() {
		assertThat(OperationsFiles.rules()).allSatisfy((rule) -> {
			int start = page.indexOf("### " + rule.path("alert").asString() + " ");
			assertThat(start).isNotNegative();
			String section = page.substring(start).split(" #+ ", 2)[0];
			assertThat(section).contains("**Symptom:**", "**Meaning:**", "**Check:**", "**Do:**");
		});
	}

	@Test
	void noAnchorExistsTwice() {
		assertThat(MarkdownPage.of("docs/operations/runbook.md").anchors()).doesNotHaveDuplicates();
	}

	/** The beginning of the first text of each message, by file. */
	private static Map<String, String> messages() throws IOException {
		Map<String, String> messages = new TreeMap<>();
		for (Path source : sources()) {
			// The fakes of the test slice are no concern of operators.
			if (source.startsWith(SOURCES.resolve("test"))) {
				continue;
			}
			for (Matcher matcher = MESSAGE.matcher(Files.readString(source)); matcher.find();) {
				// Adjacent literals are one text.
				String arguments = matcher.group(1).replaceAll("\"\\s*\\+\\s*\"", "");
				LITERAL.matcher(arguments)
					.results()
					.map((literal) -> literal.group(1).replace("\\\"", "\"").strip())
					.filter((literal) -> literal.length() >= TOO_SHORT)
					.findFirst()
					.map((literal) -> literal.substring(0, Math.min(BEGINNING, literal.length())).strip())
					.ifPresent((literal) -> messages.put(literal, source.getFileName().toString()));
			}
		}
		return messages;
	}

	private static List<Path> sources() throws IOException {
		return ProjectFiles.matching((file) -> file.startsWith(SOURCES) && file.toString().endsWith(".java"));
	}

}
