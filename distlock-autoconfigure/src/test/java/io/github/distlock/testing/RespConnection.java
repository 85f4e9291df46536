package io.github.distlock.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.function.ThrowingSupplier;

/**
 * A connection to a Redis of this machine without a driver, so that commands of a test
 * are not redirected, repeated or delayed.
 */
public final class RespConnection implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Socket socket = new Socket();

	private final InputStream in;

	public RespConnection(int port) {
		this(port, PATIENCE);
	}

	public RespConnection(int port, Duration patience) {
		this.in = unchecked(() -> {
			this.socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
					(int) patience.toMillis());
			this.socket.setSoTimeout((int) patience.toMillis());
			return new BufferedInputStream(this.socket.getInputStream());
		});
	}

	/**
	 * Send a command, and wait for its reply: a text, a number, a list of these, or
	 * {@code null}. An error of the server is an {@link IllegalStateException}.
	 */
	public @Nullable Object ask(String... words) {
		return unchecked(() -> {
			ByteArrayOutputStream out = new ByteArrayOutputStream();
			out.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
			for (String word : words) {
				byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
				out.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
				out.writeBytes(bytes);
				out.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
			}
			this.socket.getOutputStream().write(out.toByteArray());
			return answer();
		});
	}

	/**
	 * The next message that the server has pushed, such as that of a subscription, or
	 * {@code null} if none has arrived.
	 */
	public @Nullable Object received() {
		return unchecked(() -> (this.in.available() > 0) ? answer() : null);
	}

	private @Nullable Object answer() throws IOException {
		String line = line();
		String rest = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> rest;
			case '-' -> throw new IllegalStateException(rest);
			case ':' -> Long.valueOf(rest);
			case '$' -> text(Integer.parseInt(rest));
			case '*' -> list(Integer.parseInt(rest));
			default -> throw new IllegalStateException("Not RESP: " + line);
		};
	}

	private @Nullable String text(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] bytes = this.in.readNBytes(length);
		line();
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private List<@Nullable Object> list(int length) throws IOException {
		List<@Nullable Object> list = new ArrayList<>();
		for (int i = 0; i < length; i++) {
			list.add(answer());
		}
		return list;
	}

	private String line() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int next = this.in.read(); next != '\n'; next = this.in.read()) {
			if (next < 0) {
				throw new EOFException("The server hung up");
			}
			if (next != '\r') {
				line.write(next);
			}
		}
		return line.toString(StandardCharsets.UTF_8);
	}

	private static <T extends @Nullable Object> T unchecked(ThrowingSupplier<T> call) {
		return call.get((message, ex) -> new UncheckedIOException((IOException) ex));
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
