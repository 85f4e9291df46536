package io.github.distlock.benchmarks.servers.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.benchmarks.contenders.RedisAddress;

/**
 * Passes bytes on after a delay, in both directions, as a network between two data
 * centres does: later bytes do not wait for earlier ones.
 */
final class DelayProxy {

	/** In each direction, so that a round trip takes twice as long. */
	static final Duration DELAY = Duration.ofMillis(1);

	private DelayProxy() {
	}

	/**
	 * Start a proxy in this JVM.
	 * @param server where the bytes go
	 * @return the port of the proxy
	 */
	static int start(RedisAddress server) throws IOException {
		@SuppressWarnings("resource") // lives as long as the JVM
		ServerSocket listening = new ServerSocket(0, 512, InetAddress.getByName("127.0.0.1"));
		daemon(() -> {
			while (true) {
				connect(listening.accept(), server);
			}
		});
		return listening.getLocalPort();
	}

	private static void connect(Socket client, RedisAddress address) throws IOException {
		Socket server = new Socket(address.host(), address.port());
		client.setTcpNoDelay(true);
		server.setTcpNoDelay(true);
		pass(client, server);
		pass(server, client);
	}

	private static void pass(Socket from, Socket to) {
		BlockingQueue<Chunk> onTheWay = new LinkedBlockingQueue<>();
		daemon(() -> read(from.getInputStream(), onTheWay));
		daemon(() -> {
			try (from; to) {
				write(onTheWay, to.getOutputStream());
			}
		});
	}

	private static void read(InputStream input, BlockingQueue<Chunk> onTheWay) {
		byte[] buffer = new byte[1 << 14];
		try {
			for (int length; (length = input.read(buffer)) >= 0;) {
				onTheWay.add(new Chunk(Arrays.copyOf(buffer, length), System.nanoTime() + DELAY.toNanos()));
			}
		}
		catch (IOException ex) {
			// The connection is gone, which is an end, too.
		}
		onTheWay.add(new Chunk(new byte[0], System.nanoTime()));
	}

	private static void write(BlockingQueue<Chunk> onTheWay, OutputStream output)
			throws IOException, InterruptedException {
		for (Chunk next; (next = onTheWay.take()).bytes().length > 0;) {
			for (long rest; (rest = next.due() - System.nanoTime()) > 0;) {
				LockSupport.parkNanos(rest);
			}
			output.write(next.bytes());
			output.flush();
		}
	}

	private static void daemon(Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// One of the two is gone; the other one is closed.
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, "delay-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	@FunctionalInterface
	private interface Task {

		void run() throws IOException, InterruptedException;

	}

	private record Chunk(byte[] bytes, long due) {

	}

}
