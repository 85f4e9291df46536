package io.github.distlock.benchmarks.servers.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.benchmarks.contenders.RedisAddress;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What goes through the proxy of the delayed workloads.
 */
class DelayProxyTests {

	@Test
	void bytesPassUnchangedInBothDirectionsAndNotTooEarly() throws Exception {
		byte[] sent = "0123456789".repeat(10_000).getBytes(StandardCharsets.UTF_8);
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			CompletableFuture<Void> echo = CompletableFuture.runAsync(() -> echo(server));
			int port = DelayProxy.start(new RedisAddress("127.0.0.1", server.getLocalPort()));
			try (Socket client = new Socket("127.0.0.1", port)) {
				long start = System.nanoTime();
				client.getOutputStream().write(sent);
				InputStream answers = client.getInputStream();
				int first = answers.read();
				assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(2 * DelayProxy.DELAY.toNanos());
				assertThat(first).isEqualTo('0');
				byte[] rest = answers.readNBytes(sent.length - 1);
				assertThat(new String(rest, StandardCharsets.UTF_8))
					.isEqualTo(new String(sent, 1, sent.length - 1, StandardCharsets.UTF_8));
			}
			// The end of one connection is passed on, too.
			echo.join();
		}
	}

	private static void echo(ServerSocket server) {
		try (Socket socket = server.accept()) {
			socket.getInputStream().transferTo(socket.getOutputStream());
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
