package io.github.distlock.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lab as a page uses it: requests, and a stream of server-sent events.
 */
final class LabClient {

	private static final JsonMapper json = JsonMapper.builder().build();

	private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final URI address;

	LabClient(URI address) {
		this.address = address;
	}

	URI address() {
		return this.address;
	}

	HttpResponse<String> send(String method, String path, String body, String... headers)
			throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(this.address.resolve(path))
			.method(method, HttpRequest.BodyPublishers.ofString(body));
		if (headers.length > 0) {
			request.headers(headers);
		}
		return this.http.send(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return send("GET", path, "");
	}

	HttpResponse<String> post(String form) throws IOException, InterruptedException {
		return send("POST", "/lab/runs", form, "Content-Type", "application/json");
	}

	/**
	 * Start a run.
	 * @param form what to try
	 * @return name of the run
	 */
	String start(String form) throws IOException, InterruptedException {
		HttpResponse<String> answer = post(form);
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
		return json(answer).path("run").asString();
	}

	static JsonNode json(HttpResponse<String> answer) {
		return json.readTree(answer.body());
	}

	/**
	 * Open a stream of events.
	 * @param lastEventId the id of the last event that is known, or an empty text
	 */
	Events events(String lastEventId) throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(this.address.resolve("/lab/events"));
		if (!lastEventId.isEmpty()) {
			request.header("Last-Event-ID", lastEventId);
		}
		HttpResponse<InputStream> answer = this.http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
		assertThat(answer.statusCode()).isEqualTo(200);
		assertThat(answer.headers().firstValue("Content-Type")).hasValueSatisfying((type) -> {
			assertThat(type).startsWith("text/event-stream");
		});
		return new Events(answer.body());
	}

	/**
	 * An event as it was sent.
	 *
	 * @param id its id
	 * @param data its data
	 */
	record Event(String id, JsonNode data) {

		boolean is(String type) {
			return this.data.path("type").asString().equals(type);
		}

		int n() {
			return this.data.path("n").asInt();
		}

		String run() {
			return this.id.substring(0, this.id.indexOf(':'));
		}

	}

	/**
	 * A stream of events, read by a thread of its own.
	 */
	static final class Events implements AutoCloseable {

		private final List<Event> all = new CopyOnWriteArrayList<>();

		private final InputStream stream;

		Events(InputStream stream) {
			this.stream = stream;
			Thread reader = new Thread(this::read, "lab-events");
			reader.setDaemon(true);
			reader.start();
		}

		private void read() {
			try (BufferedReader lines = new BufferedReader(
					new InputStreamReader(this.stream, StandardCharsets.UTF_8))) {
				String id = "";
				for (String line = lines.readLine(); line != null; line = lines.readLine()) {
					if (line.startsWith("id:")) {
						id = line.substring("id:".length()).strip();
					}
					else if (line.startsWith("data:")) {
						this.all.add(new Event(id, json.readTree(line.substring("data:".length()))));
					}
				}
			}
			catch (IOException ex) {
				// It was closed.
			}
		}

		/**
		 * Return the events of a run so far.
		 */
		List<Event> of(String run) {
			return this.all.stream().filter((event) -> event.run().equals(run)).toList();
		}

		/**
		 * Wait for the end of a run.
		 * @param run name of the run
		 * @return all its events that were received
		 */
		List<Event> untilEnd(String run) {
			return until(run, "end");
		}

		/**
		 * Wait for an event of a run. A run that takes long is no failure; one that tells
		 * nothing new for minutes is.
		 * @param run name of the run
		 * @param type type of the event
		 * @return all events of the run that were received
		 */
		List<Event> until(String run, String type) {
			List<Event> received = of(run);
			while (received.stream().noneMatch((event) -> event.is(type))) {
				int known = received.size();
				Awaitility.await("news of run %s after %d events".formatted(run, known))
					.atMost(Duration.ofMinutes(4))
					.until(() -> of(run).size() > known);
				received = of(run);
			}
			return received;
		}

		@Override
		public void close() throws IOException {
			this.stream.close();
		}

	}

}
