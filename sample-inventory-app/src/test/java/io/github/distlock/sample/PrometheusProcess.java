package io.github.distlock.sample;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import io.github.distlock.installed.Installed;
import io.github.distlock.lab.processes.PortPicker;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.FileSystemUtils;

/**
 * A real Prometheus on a free port, with a data folder of its own. Ends with this JVM at
 * the latest.
 */
final class PrometheusProcess implements AutoCloseable {

	private final HttpClient http = HttpClient.newHttpClient();

	private final JsonMapper json = JsonMapper.builder().build();

	private final int port;

	private final Path log;

	private final Process process;

	private final Thread atExit;

	/**
	 * Start Prometheus, or skip the test if it is not installed.
	 * @param folder where its files go
	 * @param targets hosts and ports of the applications to scrape
	 * @param rules the file with the rules
	 */
	PrometheusProcess(Path folder, Collection<String> targets, Path rules) throws IOException {
		Path program = Installed.PROMETHEUS.assume();
		FileSystemUtils.deleteRecursively(folder);
		Files.createDirectories(folder);
		Path configuration = Files.writeString(folder.resolve("prometheus.yml"), """
				global:
				  scrape_interval: 5s
				  evaluation_interval: 1s
				rule_files:
				  - %s
				scrape_configs:
				  - job_name: sample
				    metrics_path: /actuator/prometheus
				    static_configs:
				      - targets: [%s]
				""".formatted(rules.toRealPath(),
				targets.stream().map((target) -> '"' + target + '"').collect(Collectors.joining(", "))));
		this.port = new PortPicker(RandomGenerator.getDefault()).pick(0);
		this.log = folder.resolve("prometheus.log");
		this.process = new ProcessBuilder(program.toString(), "--config.file=" + configuration,
				"--storage.tsdb.path=" + folder.resolve("data"), "--web.listen-address=127.0.0.1:" + this.port)
			.redirectErrorStream(true)
			.redirectOutput(this.log.toFile())
			.start();
		this.atExit = new Thread(this.process::destroyForcibly);
		Runtime.getRuntime().addShutdownHook(this.atExit);
	}

	/**
	 * Evaluate an expression now.
	 * @param expression the expression
	 * @return its result, with one element for each series
	 */
	JsonNode query(String expression) throws IOException, InterruptedException {
		return get("query?query=" + encode(expression)).path("data").path("result");
	}

	/**
	 * Return the values of a label.
	 * @param label the label
	 * @param series which series
	 * @return the values
	 */
	JsonNode labelValues(String label, String series) throws IOException, InterruptedException {
		return get("label/" + label + "/values?match[]=" + encode(series)).path("data");
	}

	/**
	 * Say why scrapes fail.
	 * @return the last error of each target, which may be empty
	 */
	List<String> scrapeErrors() {
		try {
			return get("targets").findValuesAsString("lastError");
		}
		catch (IOException ex) {
			return List.of(ex.toString());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return List.of();
		}
	}

	/**
	 * Ask the HTTP API.
	 * @param path the path below {@code /api/v1}
	 * @return the answer, which says success
	 */
	JsonNode get(String path) throws IOException, InterruptedException {
		if (!this.process.isAlive()) {
			throw new AssertionError("Prometheus has ended:\n" + Files.readString(this.log));
		}
		URI address = URI.create("http://127.0.0.1:%d/api/v1/%s".formatted(this.port, path.replace("[]", "%5B%5D")));
		String body = this.http.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
			.body();
		JsonNode answer = this.json.readTree(body);
		if (!answer.path("status").asString().equals("success")) {
			throw new AssertionError(path + ": " + body);
		}
		return answer;
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		this.process.onExit().join();
		Runtime.getRuntime().removeShutdownHook(this.atExit);
	}

}
