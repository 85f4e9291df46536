package io.github.distlock.lab.check;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The chunks of which a recording consists. The state of the last one tells whether the
 * JVM has completed it: a JVM that was killed has not, and then no reader opens the file.
 */
final class Chunks {

	private static final int SIZE_OFFSET = 8;

	private static final int STATE_OFFSET = 64;

	private static final int COMPLETE = 0;

	private Chunks() {
	}

	/**
	 * Copy a recording, if its JVM has not completed it, to a file that can be read.
	 * @param file the recording
	 * @param copy the file to write
	 * @return whether it was copied
	 * @throws IOException if the file cannot be read or copied
	 */
	static boolean complete(Path file, Path copy) throws IOException {
		try (RandomAccessFile recording = new RandomAccessFile(file.toFile(), "r")) {
			long start = 0;
			while (start + STATE_OFFSET < recording.length()) {
				recording.seek(start + STATE_OFFSET);
				if (recording.read() != COMPLETE) {
					Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
					setComplete(copy, start + STATE_OFFSET);
					return true;
				}
				recording.seek(start + SIZE_OFFSET);
				start += Math.max(1, recording.readLong());
			}
			return false;
		}
	}

	private static void setComplete(Path file, long position) throws IOException {
		try (RandomAccessFile recording = new RandomAccessFile(file.toFile(), "rw")) {
			recording.seek(position);
			recording.write(COMPLETE);
		}
	}

}
