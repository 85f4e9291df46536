package io.github.distlock.benchmarks.workers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A plain number in memory that all JVMs share. Nothing but the measured lock protects
 * it: if that excludes, no increment is lost.
 */
public final class SharedCounter {

	private final MappedByteBuffer memory;

	/**
	 * Open it.
	 * @param file where the memory is mapped from; made if there is none
	 */
	public SharedCounter(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			this.memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Read it.
	 * @return the number
	 */
	public long get() {
		return this.memory.getLong(0);
	}

	/**
	 * Write it.
	 * @param value the number
	 */
	public void set(long value) {
		this.memory.putLong(0, value);
	}

}
