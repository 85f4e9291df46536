package io.github.distlock.lab.check;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * Events as the library writes them, with any content. The fields are read by their
 * names.
 */
@SuppressWarnings("unused")
final class WrittenEvents {

	private WrittenEvents() {
	}

	/**
	 * Write a recording.
	 * @param file the file
	 * @param settings settings of the recording that differ from the usual ones
	 * @param events the events, which are committed in this order
	 * @throws IOException if the file cannot be written
	 */
	static void write(Path file, Map<String, String> settings, List<? extends Event> events) throws IOException {
		try (Recording recording = new Recording()) {
			Map<String, String> all = new HashMap<>(settings);
			all.putIfAbsent("jdk.ActiveSetting#enabled", "true");
			all.putIfAbsent("jdk.DataLoss#enabled", "true");
			all.put("jdk.GCPhasePause#enabled", "true");
			recording.setSettings(all);
			recording.start();
			for (Event event : events) {
				if (event instanceof Collected) {
					System.gc();
				}
				event.commit();
			}
			recording.dump(file);
		}
	}

	/**
	 * Write a recording of several chunks, with one hold in each.
	 * @param file the file
	 * @param chunks how many
	 * @return the content of the file
	 * @throws IOException if the file cannot be written
	 */
	static byte[] writeChunks(Path file, int chunks) throws IOException {
		try (Recording recording = new Recording()) {
			recording.setSettings(Map.of("jdk.ActiveSetting#enabled", "true", "jdk.DataLoss#enabled", "true"));
			recording.start();
			for (int chunk = 0; chunk < chunks; chunk++) {
				for (HoldEvent event : List.of(new GrantEvent(), new GrantEndEvent())) {
					event.describe("instance", chunk, "key", chunk + 1);
					event.answeredNanos = 2L * chunk;
					event.atNanos = 2L * chunk + 1;
					event.validUntilNanos = Long.MAX_VALUE;
					event.commit();
				}
				// Begins the next chunk.
				recording.dump(file);
			}
			return Files.readAllBytes(file);
		}
	}

	/**
	 * Leave a recording as a JVM that is killed does: its last chunk is not completed.
	 * @param file the file, of one chunk
	 * @throws IOException if the file cannot be written
	 */
	static void kill(Path file) throws IOException {
		try (RandomAccessFile recording = new RandomAccessFile(file.toFile(), "rw")) {
			recording.seek(64);
			recording.write(1);
		}
	}

	/**
	 * The fields of each event.
	 */
	@StackTrace(false)
	abstract static class HoldEvent extends Event {

		String registry = "redis";

		String keyHash = "";

		@Nullable String key;

		String label = "label";

		String mode = "EXCLUSIVE";

		int permits;

		long token;

		@Nullable String outcome;

		@Nullable String cause;

		String instance = "";

		long hold;

		long grantToken;

		boolean firstToken;

		long askedNanos;

		long answeredNanos;

		long validUntilNanos;

		long atNanos;

		void describe(String instance, long hold, String keyHash, long token) {
			this.instance = instance;
			this.hold = hold;
			this.keyHash = keyHash;
			this.token = token;
			this.grantToken = token;
		}

	}

	@Name("distlock.Grant")
	static class GrantEvent extends HoldEvent {

	}

	@Name("distlock.Renewal")
	static class RenewalEvent extends HoldEvent {

	}

	@Name("distlock.GrantEnd")
	static class GrantEndEvent extends HoldEvent {

	}

	@Name("distlock.Loss")
	static class LossEvent extends HoldEvent {

	}

	/**
	 * The JVM collects garbage before this event.
	 */
	static class Collected extends Event {

	}

}
