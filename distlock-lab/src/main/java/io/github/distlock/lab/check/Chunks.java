package io.github.distlock.lab.check;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The chunks of which a recording consists. The state of the last one tells whether the
 * JVM has completed it: a JVM that was killed has not, and then no reader opens the file.
 * Each chunk begins where the one before it ends.
 */
final class Chunks {

	private static final int SIZE_OFFSET = 8;

	private static final int START_OFFSET = 32;

	private static final int STATE_OFFSET = 64;

	private static final int COMPLETE = 0;

	/** In nanoseconds, for rounding. */
	private static final long TOLERANCE = 1_000_000;

	private Chunks() {
	}

	/**
	 * Read the chunks of a recording.
	 * @param file the recording
	 * @return the chunks, of which only the last one may be incomplete
	 * @throws IOException if the file cannot be read
	 */
	static List<Chunk> read(Path file) throws IOException {
		List<Chunk> chunks = new ArrayList<>();
		try (RandomAccessFile recording = new RandomAccessFile(file.toFile(), "r")) {
			long position = 0;
			boolean complete = true;
			while (complete && position + STATE_OFFSET < recording.length()) {
				recording.seek(position + STATE_OFFSET);
				complete = recording.read() == COMPLETE;
				recording.seek(position + START_OFFSET);
				long start = recording.readLong();
				chunks.add(new Chunk(position, start, start + recording.readLong(), complete));
				recording.seek(position + SIZE_OFFSET);
				position += Math.max(1, recording.readLong());
			}
		}
		return chunks;
	}

	/**
	 * Copy a recording that its JVM has not completed to a file that can be read.
	 * @param file the recording
	 * @param last its last chunk
	 * @param copy the file to write
	 * @throws IOException if the file cannot be copied
	 */
	static void complete(Path file, Chunk last, Path copy) throws IOException {
		Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
		try (RandomAccessFile recording = new RandomAccessFile(copy.toFile(), "rw")) {
			recording.seek(last.position + STATE_OFFSET);
			recording.write(COMPLETE);
		}
	}

	/**
	 * Return between which times a chunk is missing, in words; {@code null} if none is.
	 * @param chunks the chunks of one JVM, in any order
	 */
	static @Nullable String gap(List<Chunk> chunks) {
		List<Chunk> sorted = chunks.stream().sorted(Comparator.comparingLong(Chunk::start)).toList();
		long end = sorted.isEmpty() ? 0 : sorted.get(0).end;
		for (Chunk chunk : sorted) {
			if (chunk.start - end > TOLERANCE) {
				return "between %s and %s".formatted(time(end), time(chunk.start));
			}
			end = Math.max(end, chunk.end);
		}
		return null;
	}

	/**
	 * Return a time in words.
	 * @param nanos the time since 1970, by the clock of a host
	 */
	static Instant time(long nanos) {
		return Instant.ofEpochSecond(0, nanos / 1000 * 1000);
	}

	/**
	 * A chunk.
	 *
	 * @param position where it begins in its file
	 * @param start when it begins, in nanoseconds since 1970 as the JVM has them
	 * @param end when it ends
	 * @param complete whether the JVM has completed it
	 */
	record Chunk(long position, long start, long end, boolean complete) {
	}

}
