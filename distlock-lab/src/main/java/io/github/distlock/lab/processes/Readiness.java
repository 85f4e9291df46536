package io.github.distlock.lab.processes;

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
public final class Readiness {

	// A cold JVM on a busy machine may start slowly;
	private static final Duration LONGEST_START = Duration.ofMinutes(2);

	// a service that runs and reports that it is down, without its server, may not.
	private static final Duration LONGEST_DOWN = Duration.ofSeconds(20);

	private static final Duration INTERVAL = Duration.ofMillis(200);

	private final HttpClient http = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(2))
		.build();

	/**
	 * Wait until a port of 127.0.0.1 accepts connections.
	 * @param child the process that has the port
	 * @param port the port
	 * @throws InterruptedException if interrupted while waiting
	 */
	public void awaitPort(Child child, int port) throws InterruptedException {
		await(child, "port " + port, () -> connect(port));
	}

	/**
	 * Wait until a service reports that it is up.
	 * @param child the service
	 * @param address where it serves
	 * @throws InterruptedException if interrupted while waiting
	 */
	public void awaitHealth(Child child, URI address) throws InterruptedException {
		URI health = address.resolve("/actuator/health");
		await(child, health.toString(), () -> health(health));
	}

	private void await(Child child, String what, Probe probe) throws InterruptedException {
		long start = System.nanoTime();
		long up = Long.MAX_VALUE;
		Answer answer = probe.ask();
		while (!answer.serves()) {
			long now = System.nanoTime() - start;
			up = answer.given() ? Math.min(up, now) : up;
			if (child.process().waitFor(INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
				throw new IllegalStateException(child.failure());
			}
			if (now > LONGEST_START.toNanos() || now - up > LONGEST_DOWN.toNanos()) {
				throw new IllegalStateException(child.failure("does not serve: %s gives after %d s: %s".formatted(what,
						TimeUnit.NANOSECONDS.toSeconds(now), answer.text())));
			}
			answer = probe.ask();
		}
	}

	private Answer health(URI address) throws InterruptedException {
		try {
			HttpRequest request = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(10)).build();
			HttpResponse<String> response = this.http.send(request, HttpResponse.BodyHandlers.ofString());
			return new Answer(response.statusCode() == 200, true, response.body());
		}
		catch (IOException ex) {
			return new Answer(false, false, ex.toString());
		}
	}

	private static Answer connect(int port) {
		try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
			return new Answer(socket.isConnected(), true, "connected");
		}
		catch (IOException ex) {
			return new Answer(false, false, ex.toString());
		}
	}

	/**
	 * Asks a server once.
	 */
	private interface Probe {

		Answer ask() throws InterruptedException;

	}

	/**
	 * The answer of a server.
	 *
	 * @param serves whether the server serves
	 * @param given whether it answered at all
	 * @param text the answer, or why there is none
	 */
	private record Answer(boolean serves, boolean given, String text) {

	}

}
