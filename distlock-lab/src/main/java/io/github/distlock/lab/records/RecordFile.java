package io.github.distlock.lab.records;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A file of JSON objects, one per line. A line is one write to the file without a buffer
 * in this process: it survives the end of the process, whatever ends it. Safe for use by
 * many threads.
 */
final class RecordFile {

	private final JsonMapper json = JsonMapper.builder().build();

	private final ReentrantLock lock = new ReentrantLock();

	private final OutputStream out;

	private final long linesBefore;

	private long lines;

	/**
	 * Open a file, or create it.
	 * @param file lines are appended to what it contains
	 * @throws UncheckedIOException if the file cannot be written
	 */
	RecordFile(Path file) {
		try {
			if (file.getParent() != null) {
				Files.createDirectories(file.getParent());
			}
			// A channel would be closed by an interrupt of any writing thread.
			this.out = new FileOutputStream(file.toFile(), true);
			endLine(file);
			try (Stream<String> before = Files.lines(file)) {
				this.linesBefore = before.count();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The records cannot be written to '%s', which sample.node.records names: %s"
				.formatted(file.toAbsolutePath(), ex), ex);
		}
	}

	/**
	 * Return how many lines earlier processes have written.
	 */
	long linesBefore() {
		return this.linesBefore;
	}

	/**
	 * Append a line. Blocks for the write.
	 * @param type the kind of line
	 * @param at microseconds since 1970
	 * @param fields the rest of the line
	 * @throws UncheckedIOException if the line cannot be written
	 */
	void append(String type, long at, ObjectNode fields) {
		this.lock.lock();
		try {
			ObjectNode line = this.json.createObjectNode().put("n", ++this.lines).put("type", type).put("at", at);
			line.setAll(fields);
			this.out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Create an object to be filled.
	 */
	ObjectNode fields() {
		return this.json.createObjectNode();
	}

	/** The last line of a process that was killed may be incomplete. */
	private void endLine(Path file) throws IOException {
		try (RandomAccessFile end = new RandomAccessFile(file.toFile(), "r")) {
			if (end.length() > 0) {
				end.seek(end.length() - 1);
				if (end.read() != '\n') {
					this.out.write('\n');
				}
			}
		}
	}

}
