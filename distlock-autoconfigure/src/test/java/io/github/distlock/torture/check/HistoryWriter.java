package io.github.distlock.torture.check;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes a history line by line. Each line is written immediately, so it survives a crash
 * of the JVM. Thread-safe, and not affected by interrupts.
 */
public final class HistoryWriter implements AutoCloseable {

	private final ReentrantLock lock = new ReentrantLock();

	private final OutputStream out;

	/** Write to a file, which must not exist. */
	public HistoryWriter(Path file) {
		try {
			this.out = new FileOutputStream(file.toFile());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Write an event with the current time, with names and values in turn. */
	public void write(Kind kind, Object... pairs) {
		writeAt(System.nanoTime(), kind, pairs);
	}

	public void writeAt(long nanos, Kind kind, Object... pairs) {
		byte[] line = (Event.of(nanos, "", kind, pairs).format() + "\n").getBytes(StandardCharsets.UTF_8);
		this.lock.lock();
		try {
			this.out.write(line);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void close() {
		try {
			this.out.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
