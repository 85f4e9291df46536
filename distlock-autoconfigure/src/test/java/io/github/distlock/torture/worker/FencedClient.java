package io.github.distlock.torture.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A client of the resource, with a connection of its own. For one thread; not affected by
 * interrupts.
 */
final class FencedClient implements AutoCloseable {

	private final Socket socket;

	private final BufferedReader in;

	FencedClient(int port) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setTcpNoDelay(true);
		this.in = new BufferedReader(new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
	}

	/** Use a part of the resource. Answers whether it accepted the fencing token. */
	boolean access(String op, String key, long token, String attempt) throws IOException {
		this.socket.getOutputStream()
			.write((op + " " + key + " " + token + " " + attempt + "\n").getBytes(StandardCharsets.UTF_8));
		return "ok".equals(this.in.readLine());
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
