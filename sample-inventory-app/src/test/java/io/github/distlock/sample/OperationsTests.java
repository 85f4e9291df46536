package io.github.distlock.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.distlock.installed.Installed;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real Prometheus scrapes the running sample and evaluates the queries of the dashboard
 * and of the alerts in docs/operations.
 */
@Tag(Installed.TAG)
class OperationsTests {

	private static final Path FOLDER = Path.of("..", "docs", "operations");

	private static final Pattern VARIABLE = Pattern.compile("label_values\\((.*), (\\w+)\\)");

	/**
	 * Rules that select failures by these words have no result before the first one.
	 */
	private static final List<String> ONLY_AFTER_A_FAILURE = List.of("outcome=\"backend-error\"",
			"outcome=~\"timeout|too-many-waiting\"", "up == 0");

	private static final HttpClient http = HttpClient.newHttpClient();

	private static DemoProcess demo;

	private static PrometheusProcess prometheus;

	@BeforeAll
	static void startTheSampleAndPrometheus() throws Exception {
		Installed.PROMETHEUS.assume();
		// The class path of the tests has tracing, and Prometheus before 2.43 refuses its
		// exemplars.
		demo = new DemoProcess("operations", "--orders=60", "--stock=40", "--buyers=8",
				"--management.tracing.exemplars.include=none");
		Awaitility.await()
			.atMost(Duration.ofMinutes(5))
			.until(() -> !demo.isAlive() || demo.output().contains("Serving until stopped"));
		assertThat(demo.isAlive()).as(demo.output()).isTrue();
		prometheus = new PrometheusProcess(Path.of("target", "prometheus").toAbsolutePath(),
				nodes().stream().map((node) -> node.getHost() + ":" + node.getPort()).toList(),
				FOLDER.resolve("alerts.yaml"));
		// A rate needs two scrapes with a lock between them.
		send("PUT", nodes().get(0).resolve("/stock/book?quantity=1000"));
		Awaitility.await().atMost(Duration.ofMinutes(4)).ignoreExceptions().untilAsserted(() -> {
			for (URI node : nodes()) {
				send("POST", node.resolve("/stock/book/deduct?strategy=distributed-lock"));
			}
			assertThat(prometheus.query("rate(distlock_hold_seconds_count[1m]) > 0"))
				.as(() -> prometheus.scrapeErrors().toString())
				.hasSize(2);
			assertThat(prometheus.get("rules").findValues("health")).hasSizeGreaterThan(1)
				.allMatch((health) -> health.asString().equals("ok"));
		});
	}

	@AfterAll
	static void stopThem() {
		if (prometheus != null) {
			prometheus.close();
		}
		if (demo != null) {
			demo.close();
		}
	}

	@Test
	void eachQueryOfTheDashboardHasAResult() throws Exception {
		Map<String, String> without = new TreeMap<>();
		List<String> queries = queriesOfTheDashboard();
		for (String query : queries) {
			if (prometheus.query(withValues(query)).isEmpty()) {
				without.put(query, withValues(query));
			}
		}
		assertThat(queries).hasSizeGreaterThan(20);
		assertThat(without).isEmpty();
	}

	@Test
	void eachVariableOfTheDashboardHasValues() throws Exception {
		int variables = 0;
		for (JsonNode variable : dashboard().path("templating").path("list")) {
			Matcher matcher = VARIABLE.matcher(variable.path("definition").asString());
			if (matcher.matches()) {
				variables++;
				assertThat(prometheus.labelValues(matcher.group(2), withValues(matcher.group(1))).valueStream())
					.as(variable.toString())
					.isNotEmpty();
			}
		}
		assertThat(variables).isEqualTo(3);
		assertThat(prometheus.labelValues("application", "distlock_held").get(0).asString()).isEqualTo("inventory");
	}

	@Test
	void eachAlertIsEvaluatedAndNoneFires() throws Exception {
		List<JsonNode> rules = prometheus.get("rules")
			.path("data")
			.path("groups")
			.get(0)
			.path("rules")
			.valueStream()
			.toList();
		assertThat(rules).hasSizeGreaterThan(5).allSatisfy((rule) -> {
			assertThat(rule.path("health").asString()).as(rule.toString()).isEqualTo("ok");
			assertThat(rule.path("state").asString()).as(rule.toString()).isEqualTo("inactive");
		});
	}

	@Test
	void whatEachAlertComparesHasAResult() throws Exception {
		Map<String, String> without = new TreeMap<>();
		for (JsonNode rule : rules()) {
			String expression = rule.path("expr").asString();
			assertThat(expression).matches("(?s).* > [\\d.]+");
			String compared = expression.substring(0, expression.lastIndexOf(" > "));
			if (prometheus.query(compared).isEmpty() && ONLY_AFTER_A_FAILURE.stream().noneMatch(expression::contains)) {
				without.put(rule.path("alert").asString(), compared);
			}
		}
		assertThat(without).isEmpty();
	}

	@Test
	void eachCurlLineOfThePagesIsAnswered() throws Exception {
		Installed.CURL.assume();
		Path home = Path.of("..").toRealPath();
		for (String page : List.of("distlock-lab/README.md", "docs/operations/compose.yaml")) {
			List<String> lines = Pattern.compile("^(?:# {3})?(curl .*)$", Pattern.MULTILINE)
				.matcher(Files.readString(home.resolve(page)))
				.results()
				.map((line) -> line.group(1))
				.toList();
			assertThat(lines).as(page).isNotEmpty();
			for (String line : lines) {
				String command = line.replace("curl ", "curl -sSf ")
					.replace("localhost:8000", ordersAddress())
					.replace("localhost:8001", nodes().get(0).toString())
					.replace("localhost:8002", nodes().get(1).toString());
				assertThat(shell(command)).as(command).isNotBlank();
			}
		}
	}

	private static String ordersAddress() {
		Matcher matcher = Pattern.compile("(http://[\\d.:]+)/orders").matcher(demo.output());
		assertThat(matcher.find()).isTrue();
		return matcher.group(1);
	}

	private static String shell(String command) throws IOException, InterruptedException {
		Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(command + "\n" + output).isZero();
		return output;
	}

	/** The nodes of the sample, which print their addresses. */
	private static List<URI> nodes() {
		List<URI> nodes = new ArrayList<>();
		Pattern.compile("curl (http://[\\d.:]+)/actuator").matcher(demo.output()).results().forEach((address) -> {
			nodes.add(URI.create(address.group(1)));
		});
		assertThat(nodes).hasSize(2);
		return nodes;
	}

	private static void send(String method, URI address) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(address)
			.method(method, HttpRequest.BodyPublishers.noBody())
			.build();
		assertThat(http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(200);
	}

	private static JsonNode dashboard() throws IOException {
		return JsonMapper.builder().build().readTree(Files.readString(FOLDER.resolve("distlock-dashboard.json")));
	}

	private static List<String> queriesOfTheDashboard() throws IOException {
		List<String> queries = new ArrayList<>();
		for (JsonNode panel : dashboard().path("panels")) {
			panel.path("targets").forEach((target) -> queries.add(target.path("expr").asString()));
		}
		return queries;
	}

	private static JsonNode rules() throws IOException {
		Object file = new Yaml().load(Files.readString(FOLDER.resolve("alerts.yaml")));
		return JsonMapper.builder().build().valueToTree(file).path("groups").path(0).path("rules");
	}

	/** Put in what Grafana does if all values are chosen. */
	private static String withValues(String query) {
		return query.replace("$__rate_interval", "1m").replaceAll("\\$(application|instance|name)\\b", ".*");
	}

}
