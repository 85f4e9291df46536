package io.github.distlock.lab.records;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads what an inventory node adds to its file of records. For use by one thread at a
 * time.
 */
public final class NodeTail {

	// The records of more orders than a run of the page has.
	private static final long LIMIT = 64L << 20;

	private static final String START = "{\"n\":1,";

	private final JsonMapper json = JsonMapper.builder().build();

	private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);

	private final ByteArrayOutputStream line = new ByteArrayOutputStream();

	private final Path file;

	private final long limit;

	private long offset;

	private long last;

	private long missing;

	/**
	 * Begin at the start of a file.
	 * @param file the file, which need not exist yet
	 */
	public NodeTail(Path file) {
		this(file, LIMIT);
	}

	/**
	 * Begin at the start of a file.
	 * @param file the file, which need not exist yet
	 * @param limit the size in bytes from which {@link #shorten()} empties it
	 */
	NodeTail(Path file, long limit) {
		this.file = file;
		this.limit = limit;
	}

	/**
	 * Read the complete lines that were added since the last call.
	 * @return the records in order
	 * @throws IOException if the file cannot be read
	 */
	public List<NodeRecord> read() throws IOException {
		List<NodeRecord> records = new ArrayList<>();
		if (!Files.exists(this.file)) {
			return records;
		}
		try (FileChannel channel = FileChannel.open(this.file, StandardOpenOption.READ)) {
			int count = channel.read(this.buffer.clear(), this.offset);
			while (count > 0) {
				this.offset += count;
				split(this.buffer.flip(), records);
				count = channel.read(this.buffer.clear(), this.offset);
			}
		}
		return records;
	}

	/**
	 * Empty the file if it is large and everything in it was read. To be called while the
	 * node has no orders: it continues to append.
	 * @throws IOException if the file cannot be written
	 */
	public void shorten() throws IOException {
		if (this.offset < this.limit) {
			return;
		}
		try (FileChannel channel = FileChannel.open(this.file, StandardOpenOption.WRITE)) {
			if (channel.size() == this.offset) {
				channel.truncate(0);
				this.offset = 0;
			}
		}
	}

	/**
	 * Return how many records are missing or cannot be read, as far as their numbers
	 * show.
	 */
	public long missing() {
		return this.missing;
	}

	private void split(ByteBuffer bytes, List<NodeRecord> records) {
		while (bytes.hasRemaining()) {
			byte next = bytes.get();
			if (next == '\n') {
				add(this.line.toString(StandardCharsets.UTF_8), records);
				this.line.reset();
			}
			else {
				this.line.write(next);
			}
		}
	}

	private void add(String text, List<NodeRecord> records) {
		try {
			// A killed node may have left half a line, and the next one begins after it.
			NodeRecord next = this.json.readValue(text.substring(Math.max(0, text.lastIndexOf(START))),
					NodeRecord.class);
			this.missing += (next.n() == 1) ? 0 : Math.max(0, next.n() - this.last - 1);
			this.last = next.n();
			records.add(next);
		}
		catch (JacksonException ex) {
			// Its number is missing, too: the next record shows that.
		}
	}

}
