package io.github.distlock.lab.check;

import java.io.IOException;
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
