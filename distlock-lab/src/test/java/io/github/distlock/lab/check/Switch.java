package io.github.distlock.lab.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An address that leads to a server, and after a failover to another one.
 */
final class Switch implements AutoCloseable {

	private final ServerSocket address;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private volatile int port;

	Switch(int port) throws IOException {
		this.port = port;
		this.address = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		run(this::accept);
	}

	int port() {
		return this.address.getLocalPort();
	}

	/** New connections lead to another server, and those of today end. */
	void failOver(int to) {
		this.port = to;
		this.sockets.forEach(Switch::close);
		this.sockets.clear();
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.address.accept();
			Socket server = new Socket(InetAddress.getLoopbackAddress(), this.port);
			for (Socket socket : Set.of(client, server)) {
				socket.setTcpNoDelay(true);
				this.sockets.add(socket);
			}
			run(() -> copy(client, server));
			run(() -> copy(server, client));
		}
	}

	private static void copy(Socket from, Socket to) throws IOException {
		try (from; to) {
			from.getInputStream().transferTo(to.getOutputStream());
		}
	}

	private static void run(Step step) {
		Thread thread = new Thread(() -> {
			try {
				step.run();
			}
			catch (IOException ex) {
				// The connection, or this address, was closed.
			}
		});
		thread.setDaemon(true);
		thread.start();
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() throws IOException {
		this.address.close();
		failOver(0);
	}

	/**
	 * What a thread does.
	 */
	interface Step {

		void run() throws IOException;

	}

}
