package io.github.distlock.torture.check;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Writes a history line by line. Each line is written immediately, so it survives a crash
 * of the JVM. Thread-safe, and not affected by interrupts.
 */
public final class HistoryWriter implements AutoCloseable {

	private final PrintStream out;

	/** Write to a file, which must not exist. */
	public HistoryWriter(Path file) throws IOException {
		this.out = new PrintStream(new FileOutputStream(file.toFile()), true, StandardCharsets.UTF_8);
	}

	/** Write an event with the current time, with names and values in turn. */
	public void write(Kind kind, Object... pairs) {
		writeAt(System.nanoTime(), kind, pairs);
	}

	public void writeAt(long nanos, Kind kind, Object... pairs) {
		this.out.print(Event.of(nanos, "", kind, pairs).format() + "\n");
		if (this.out.checkError()) {
			throw new IllegalStateException("The history cannot be written");
		}
	}

	@Override
	public void close() {
		this.out.close();
	}

}
