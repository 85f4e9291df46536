package io.github.distlock.torture;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sends signals to processes without delay: through a running shell, which is much faster
 * than a new process for each signal. Thread-safe.
 */
final class Signals implements AutoCloseable {

	private final ReentrantLock lock = new ReentrantLock();

	private final Process shell;

	private final BufferedReader answers;

	/** Start the shell. It exits when its standard input is closed. */
	Signals() {
		try {
			this.shell = new ProcessBuilder("sh").redirectErrorStream(true).start();
			this.answers = this.shell.inputReader(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Send a signal, and wait until it was sent. Does nothing if the process has ended.
	 */
	void send(long pid, String signal) {
		this.lock.lock();
		try {
			String order = "kill -" + signal + " " + pid + " 2>/dev/null; echo done\n";
			this.shell.getOutputStream().write(order.getBytes(StandardCharsets.UTF_8));
			this.shell.getOutputStream().flush();
			this.answers.readLine();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Stop a process for a while. */
	void stall(long pid, Random random) {
		send(pid, "STOP");
		try {
			Pauses.pause(Duration.ofMillis(50 + random.nextInt(1200)));
		}
		finally {
			send(pid, "CONT");
		}
	}

	@Override
	public void close() {
		this.shell.destroy();
	}

}
