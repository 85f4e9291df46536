package io.github.distlock.torture;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.torture.check.HistoryWriter;
import io.github.distlock.torture.check.Kind;

/**
 * The resource that the locks protect. It keeps the highest fencing token that it has
 * seen for each key, on reads too, and refuses lower ones. Tokens of readers may arrive
 * in any order, so they are only compared with the highest token of an exclusive holder:
 * a reader is refused after a later writer, a writer after any later holder. It has a
 * real socket and does not use the library. The lock guards the tokens: the highest of
 * all, and the highest of holders that did not share their lock.
 */
record FencedResource(HistoryWriter history, ServerSocket listener, ReentrantLock lock, Map<String, Long> highest,
		Map<String, Long> highestWriter) implements AutoCloseable {

	FencedResource(HistoryWriter history) throws IOException {
		this(history, new ServerSocket(0, 200, InetAddress.getLoopbackAddress()), new ReentrantLock(), new HashMap<>(),
				new HashMap<>());
		run(this::accept);
	}

	int port() {
		return this.listener.getLocalPort();
	}

	private void accept() {
		try {
			while (true) {
				Socket client = this.listener.accept();
				client.setTcpNoDelay(true);
				run(() -> serve(client));
			}
		}
		catch (IOException ex) {
			// Closed.
		}
	}

	private void serve(Socket client) {
		try (client;
				BufferedReader in = new BufferedReader(
						new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
			OutputStream out = client.getOutputStream();
			for (String line; (line = in.readLine()) != null;) {
				String[] parts = line.split(" ");
				boolean accepted = access(parts[0], parts[1], Long.parseLong(parts[2]), parts[3]);
				out.write((accepted ? "ok\n" : "refused\n").getBytes(StandardCharsets.UTF_8));
			}
		}
		catch (IOException ex) {
			// The client has disconnected.
		}
	}

	/** Checks and records under one lock, so that the record is in order. */
	private boolean access(String op, String key, long token, String attempt) {
		this.lock.lock();
		try {
			boolean reads = op.equals("look");
			boolean accepted = token >= (reads ? this.highestWriter : this.highest).getOrDefault(key, 0L);
			if (accepted) {
				this.highest.merge(key, token, Math::max);
				if (!reads) {
					this.highestWriter.put(key, token);
				}
			}
			this.history.write(Kind.ACCESS, "key", key, "token", token, "attempt", attempt, "op", op, "ok", accepted);
			return accepted;
		}
		finally {
			this.lock.unlock();
		}
	}

	private static void run(Runnable task) {
		Thread thread = new Thread(task, "fenced-resource");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
	}

}
