package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Waits until a started process serves. Gives up when the process ends or takes too long.
 */
final class Readiness {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

	private final HttpClient http = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(2))
		.build();

	/**
	 * Wait until a port of 127.0.0.1 accepts connections.
	 * @param child whose port it is
	 * @param port the port
	 * @throws InterruptedException if interrupted while waiting
	 */
	void awaitPort(Child child, int port) throws InterruptedException {
		await(child, "port " + port, () -> accepts(port));
	}

	/**
	 * Wait until a service says that it is up.
	 * @param child the service
	 * @param address where it serves
	 * @throws InterruptedException if interrupted while waiting
	 */
	void awaitHealth(Child child, URI address) throws InterruptedException {
		URI health = address.resolve("/actuator/health");
		await(child, health.toString(), () -> isUp(health));
	}

	private void await(Child child, String what, Probe probe) throws InterruptedException {
		long start = System.nanoTime();
		while (!probe.answers()) {
			if (child.process().waitFor(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)) {
				throw new IllegalStateException(child.failure());
			}
			if (System.nanoTime() - start > PATIENCE.toNanos()) {
				throw new IllegalStateException(
						child.failure("did not serve %s within %d s".formatted(what, PATIENCE.toSeconds())));
			}
		}
	}

	private boolean isUp(URI health) throws InterruptedException {
		try {
			HttpRequest request = HttpRequest.newBuilder(health).timeout(Duration.ofSeconds(10)).build();
			return this.http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static boolean accepts(int port) {
		try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Looks whether a server answers.
	 */
	private interface Probe {

		boolean answers() throws InterruptedException;

	}

}
