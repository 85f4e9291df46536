package io.github.distlock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Stops the process of a running Redis for a while.
 */
public final class RedisFaults {

	private final long pid;

	/**
	 * Find the process of a server.
	 * @param port the server's port on this machine
	 */
	public RedisFaults(int port) {
		this.pid = Long
			.parseLong(ask(port, "EVAL \"return string.match(redis.call('INFO','server'),'process_id:(%d+)')\" 0"));
	}

	/** Stop the process. The kernel still accepts data for it. */
	public void stall() {
		ChildJvm.signal(this.pid, "STOP");
	}

	/** Resume the process. */
	public void resume() {
		ChildJvm.signal(this.pid, "CONT");
	}

	/** The reply to a command, if it is one line or a short string. */
	private static String ask(int port, String line) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
			BufferedReader in = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
			String answer = in.readLine();
			if (answer == null || answer.startsWith("-")) {
				throw new IllegalStateException(line + " was answered by " + answer);
			}
			return answer.startsWith("$") ? in.readLine() : answer;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
