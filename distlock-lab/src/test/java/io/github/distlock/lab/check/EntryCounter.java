package io.github.distlock.lab.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts which holders are inside at once, without the store: each holder reports that it
 * enters, that it still holds the lock, and that it leaves, and waits for an answer.
 */
final class EntryCounter implements AutoCloseable {

	private final ServerSocket address = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

	/** Guarded by this, as all else. Those inside, by token. */
	private final Map<Long, Entry> inside = new TreeMap<>();

	private final Set<List<Long>> overlaps = new HashSet<>();

	private final Map<String, Integer> entries = new TreeMap<>();

	private long highest;

	EntryCounter() throws IOException {
		Thread thread = new Thread(this::accept);
		thread.setDaemon(true);
		thread.start();
	}

	int port() {
		return this.address.getLocalPort();
	}

	/** Return how often a JVM has entered. */
	synchronized int entries(String jvm) {
		return this.entries.getOrDefault(jvm, 0);
	}

	synchronized long highestToken() {
		return this.highest;
	}

	/** Return the pairs of tokens whose holders were inside at once. */
	synchronized Set<List<Long>> overlaps() {
		return Set.copyOf(this.overlaps);
	}

	private void accept() {
		try {
			while (true) {
				Socket socket = this.address.accept();
				Thread thread = new Thread(() -> serve(socket));
				thread.setDaemon(true);
				thread.start();
			}
		}
		catch (IOException ex) {
			// Closed.
		}
	}

	private void serve(Socket socket) {
		try (socket;
				BufferedReader lines = new BufferedReader(
						new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
			socket.setTcpNoDelay(true);
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				report(line.split(" "));
				socket.getOutputStream().write('\n');
			}
		}
		catch (IOException ex) {
			// The JVM has ended.
		}
	}

	private synchronized void report(String[] words) {
		long token = Long.parseLong(words[3]);
		this.highest = Math.max(this.highest, token);
		switch (words[0]) {
			case "enter" -> {
				this.entries.merge(words[1], 1, Integer::sum);
				this.inside.values().forEach((entry) -> entry.confirmed = 0);
				this.inside.put(token, new Entry(words[2]));
			}
			case "still" -> confirm(token, words[2]);
			default -> this.inside.remove(token);
		}
	}

	/**
	 * A holder has found that it has the lock, perhaps before the last other one entered.
	 * The second time that was after it.
	 */
	private void confirm(long token, String key) {
		Entry own = this.inside.get(token);
		if (own != null) {
			own.confirmed++;
			this.inside.forEach((other, entry) -> {
				if (other != token && entry.key.equals(key) && Math.min(own.confirmed, entry.confirmed) > 1) {
					this.overlaps.add(List.of(Math.min(token, other), Math.max(token, other)));
				}
			});
		}
	}

	@Override
	public void close() throws IOException {
		this.address.close();
	}

	/**
	 * A holder that is inside.
	 */
	private static final class Entry {

		private final String key;

		/** How often it has confirmed that since the last other one entered. */
		private int confirmed;

		Entry(String key) {
			this.key = key;
		}

	}

}
