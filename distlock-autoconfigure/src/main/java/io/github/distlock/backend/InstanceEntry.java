package io.github.distlock.backend;

import java.time.Instant;
import java.util.Objects;

import io.github.distlock.LockInstance;
import org.jspecify.annotations.Nullable;

/**
 * The entry of an instance in a store, which leads from the id in a ticket to a JVM.
 *
 * @param instance the instance
 * @param seen when the instance last refreshed its entry, by the clock of the store
 */
public record InstanceEntry(LockInstance instance, Instant seen) {

	private static final String SEPARATOR = "|";

	private static final int PARTS = 5;

	/**
	 * Return the text of an entry in stores that keep text.
	 * @param instance the instance, fully known
	 * @return {@code id|pid|started in ms|host|application}
	 */
	public static String encode(LockInstance instance) {
		Instant started = Objects.requireNonNull(instance.started());
		String host = Objects.requireNonNull(instance.host()).replace(SEPARATOR, "_");
		return String.join(SEPARATOR, instance.id(), String.valueOf(instance.pid()),
				Long.toString(started.toEpochMilli()), host, instance.application());
	}

	/**
	 * Return the instance of a text.
	 * @param text the text, see {@link #encode}
	 * @return the instance, or {@code null} if it is another text
	 */
	public static @Nullable LockInstance decode(String text) {
		String[] parts = text.split("\\|", PARTS);
		if (parts.length < PARTS) {
			return null;
		}
		try {
			return new LockInstance(parts[0], parts[4], parts[3], Long.valueOf(parts[1]),
					Instant.ofEpochMilli(Long.parseLong(parts[2])));
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

}
