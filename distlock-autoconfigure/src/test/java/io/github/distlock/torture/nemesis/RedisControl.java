package io.github.distlock.torture.nemesis;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A connection to the server without a driver, so that it shares no code with the tested
 * library. For one thread.
 */
public final class RedisControl implements AutoCloseable {

	private static final int PATIENCE_MILLIS = 3000;

	private final Socket socket;

	private final InputStream in;

	/**
	 * Connect.
	 * @param port the port of the server
	 * @throws IOException if the server does not listen
	 */
	public RedisControl(int port) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setSoTimeout(PATIENCE_MILLIS);
		this.in = new BufferedInputStream(this.socket.getInputStream());
	}

	/**
	 * Send a command and wait for its reply.
	 * @param words the command
	 * @return text, a list, or {@code null}
	 * @throws IOException if the server returns an error or does not reply
	 */
	public @Nullable Object send(String... words) throws IOException {
		StringBuilder command = new StringBuilder("*").append(words.length).append("\r\n");
		for (String word : words) {
			command.append('$')
				.append(word.getBytes(StandardCharsets.UTF_8).length)
				.append("\r\n")
				.append(word)
				.append("\r\n");
		}
		this.socket.getOutputStream().write(command.toString().getBytes(StandardCharsets.UTF_8));
		return answer();
	}

	private @Nullable Object answer() throws IOException {
		String line = line();
		String rest = line.substring(1);
		switch (line.charAt(0)) {
			case '-':
				throw new IOException(rest);
			case '$':
				return bulk(Integer.parseInt(rest));
			case '*':
				List<@Nullable Object> items = new ArrayList<>();
				for (int i = Integer.parseInt(rest); i > 0; i--) {
					items.add(answer());
				}
				return items;
			default:
				return rest;
		}
	}

	private @Nullable String bulk(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] bytes = this.in.readNBytes(length);
		line();
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private String line() throws IOException {
		StringBuilder line = new StringBuilder();
		for (int read; (read = this.in.read()) != '\n';) {
			if (read < 0) {
				throw new IOException("The server is gone");
			}
			if (read != '\r') {
				line.append((char) read);
			}
		}
		return line.toString();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
