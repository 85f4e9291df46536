package io.github.distlock.sample.quickstart;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;

/**
 * An instance of an application that a test has built, in a JVM of its own.
 */
final class ShopInstance implements AutoCloseable {

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private static final HttpClient http = HttpClient.newHttpClient();

	private final Path output;

	private final Process process;

	ShopInstance(Path jar, Path output, int redisPort, String... settings) throws IOException {
		this.output = output;
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-jar", jar.toString(), "--server.port=0", "--server.address=127.0.0.1",
						"--spring.data.redis.port=" + redisPort,
						// So that clients read what the handler of the page says.
						"--spring.mvc.problemdetails.enabled=true"));
		command.addAll(List.of(settings));
		// Beside the jar: databases in files are there.
		this.process = new ProcessBuilder(command).directory(output.resolveSibling(".").toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
	}

	void awaitStart() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.until(() -> !this.process.isAlive() || PORT.matcher(output()).find());
	}

	CompletableFuture<HttpResponse<String>> post(String path) {
		return send(HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.noBody()).build());
	}

	CompletableFuture<HttpResponse<String>> put(String path) {
		return send(HttpRequest.newBuilder(uri(path)).PUT(HttpRequest.BodyPublishers.noBody()).build());
	}

	/** Return the meters as Prometheus gets them. */
	String meters() {
		return send(HttpRequest.newBuilder(uri("/actuator/prometheus")).build()).join().body();
	}

	/** Return the locks as an operator sees them. */
	String locks() {
		return send(HttpRequest.newBuilder(uri("/actuator/distlocks")).build()).join().body();
	}

	private static CompletableFuture<HttpResponse<String>> send(HttpRequest request) {
		return http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
	}

	private URI uri(String path) {
		Matcher port = PORT.matcher(output());
		if (!port.find()) {
			throw new AssertionError("The application did not start:\n" + output());
		}
		return URI.create("http://127.0.0.1:" + port.group(1) + path);
	}

	private String output() {
		try {
			return Files.readString(this.output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

}
