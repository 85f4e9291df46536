package io.github.distlock.sample;

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
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.distlock.sample.strategies.NodeApplication;
import org.awaitility.Awaitility;

/**
 * One inventory node as a process of its own, with a database of its own unless the
 * arguments name one.
 */
final class NodeProcess implements AutoCloseable {

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private static final HttpClient http = HttpClient.newHttpClient();

	private final Path output;

	private final Process process;

	private final URI uri;

	NodeProcess(String name, int redisPort, String... args) throws IOException {
		Path folder = Files.createDirectories(Path.of("target", "nodes"));
		this.output = folder.resolve(name + ".txt");
		List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path", ""),
				NodeApplication.class.getName(), "--server.port=0", "--spring.data.redis.port=" + redisPort));
		command.addAll(List.of(args));
		if (List.of(args).stream().noneMatch((arg) -> arg.startsWith("--spring.datasource.url="))) {
			command.add("--spring.datasource.url=jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
		}
		this.process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(this.output.toFile())
			.start();
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.until(() -> !this.process.isAlive() || PORT.matcher(output()).find());
		Matcher port = PORT.matcher(output());
		if (!port.find()) {
			throw new AssertionError("The node did not start:\n" + output());
		}
		this.uri = URI.create("http://127.0.0.1:" + port.group(1));
	}

	URI uri() {
		return this.uri;
	}

	long pid() {
		return this.process.pid();
	}

	String output() {
		try {
			return Files.readString(this.output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	HttpResponse<String> send(String method, String path) {
		return sendAsync(method, path).join();
	}

	CompletableFuture<HttpResponse<String>> sendAsync(String method, String path) {
		HttpRequest request = HttpRequest.newBuilder(this.uri.resolve(path))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.build();
		return http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
	}

	/** Stop the process without ending it. */
	void pause() throws IOException, InterruptedException {
		signal("-STOP");
	}

	void resume() throws IOException, InterruptedException {
		signal("-CONT");
	}

	void kill() throws InterruptedException {
		this.process.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
	}

	private void signal(String signal) throws IOException, InterruptedException {
		Process sent = new ProcessBuilder("kill", signal, Long.toString(pid())).start();
		if (sent.waitFor() != 0) {
			throw new AssertionError("kill " + signal + " failed");
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

}
