package io.github.distlock.torture.check;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** One line of a history. All JVMs of a machine share the monotonic clock. */
public record Event(long nanos, String source, Kind kind, Map<String, String> values) {

	/** Create an event with names and values in turn. */
	public static Event of(long nanos, String source, Kind kind, Object... pairs) {
		Map<String, String> values = new LinkedHashMap<>();
		for (int i = 0; i < pairs.length; i += 2) {
			values.put(String.valueOf(pairs[i]), String.valueOf(pairs[i + 1]).replaceAll("\\s+", "_"));
		}
		return new Event(nanos, source, kind, Collections.unmodifiableMap(values));
	}

	/** Parse a line made by {@link #format()}. */
	public static Event parse(String source, String line) {
		String[] parts = line.split(" ");
		Map<String, String> values = new LinkedHashMap<>();
		for (int i = 2; i < parts.length; i++) {
			int equals = parts[i].indexOf('=');
			values.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
		}
		return new Event(Long.parseLong(parts[0]), source, Kind.valueOf(parts[1]), Collections.unmodifiableMap(values));
	}

	public String format() {
		StringBuilder line = new StringBuilder(96).append(this.nanos).append(' ').append(this.kind);
		this.values.forEach((name, value) -> line.append(' ').append(name).append('=').append(value));
		return line.toString();
	}

	/** A detail, empty if there is none. */
	public String text(String name) {
		return this.values.getOrDefault(name, "");
	}

	/** A detail that is a number, 0 if there is none. */
	public long number(String name) {
		String text = text(name);
		return text.isEmpty() ? 0 : Long.parseLong(text);
	}

}
