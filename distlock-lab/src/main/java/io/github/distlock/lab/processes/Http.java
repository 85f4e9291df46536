package io.github.distlock.lab.processes;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Requests to the services. Every call blocks for its answer, and throws an
 * {@link IOException} if there is none or it is not 2xx.
 */
public final class Http {

	// Longer than the lock's wait time: the service has the last word.
	private static final Duration TIMEOUT = Duration.ofSeconds(90);

	private final HttpClient http = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(5))
		.build();

	/**
	 * Send a request without a body.
	 * @param method the method
	 * @param uri the address
	 * @return the body of the answer
	 * @throws IOException if there is no answer or it is not 2xx
	 * @throws InterruptedException if interrupted while waiting
	 */
	public String send(String method, URI uri) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(uri)
			.method(method, HttpRequest.BodyPublishers.noBody())
			.timeout(TIMEOUT)
			.build();
		HttpResponse<String> response = this.http.send(request, HttpResponse.BodyHandlers.ofString());
		if (response.statusCode() / 100 != 2) {
			throw new BadAnswerException(response.statusCode(),
					"%s %s answered %d: %s".formatted(method, uri, response.statusCode(), response.body()));
		}
		return response.body();
	}

	/**
	 * There is an answer, and it is not 2xx.
	 */
	@SuppressWarnings("serial")
	public static final class BadAnswerException extends IOException {

		private final int status;

		BadAnswerException(int status, String message) {
			super(message);
			this.status = status;
		}

		public int status() {
			return this.status;
		}

	}

}
