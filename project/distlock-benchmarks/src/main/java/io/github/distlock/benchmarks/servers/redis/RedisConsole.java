package io.github.distlock.benchmarks.servers.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import io.github.distlock.benchmarks.contenders.RedisAddress;

/**
 * A connection that asks the server about itself. Not one of a client library, so that
 * its own bytes are known and nothing is sent behind its back.
 */
final class RedisConsole implements AutoCloseable {

	private final Socket socket;

	private final InputStream input;

	RedisConsole(RedisAddress address) {
		try {
			this.socket = new Socket(address.host(), address.port());
			this.socket.setTcpNoDelay(true);
			this.input = new BufferedInputStream(this.socket.getInputStream(), 1 << 16);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Redis at " + address + " cannot be reached: " + ex.getMessage(), ex);
		}
	}

	/**
	 * Send a command.
	 * @param command as one types it
	 * @return its reply, which is a text or a number
	 */
	String ask(String command) {
		send(command);
		return readLine();
	}

	void send(String command) {
		try {
			this.socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
			this.socket.getOutputStream().flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Read a reply.
	 * @return a text or number without its type
	 */
	String readLine() {
		try {
			String line = line();
			return switch (line.charAt(0)) {
				case '$' -> bulk(Integer.parseInt(line.substring(1)));
				case '-' -> throw new IllegalStateException("Redis refuses: " + line.substring(1));
				default -> line.substring(1);
			};
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private String bulk(int length) throws IOException {
		byte[] bytes = this.input.readNBytes(length + 2);
		return new String(bytes, 0, length, StandardCharsets.UTF_8);
	}

	private String line() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		for (int next; (next = this.input.read()) != '\n';) {
			if (next < 0) {
				throw new IOException("Redis closed the connection");
			}
			if (next != '\r') {
				bytes.write(next);
			}
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			// It is gone already.
		}
	}

}
