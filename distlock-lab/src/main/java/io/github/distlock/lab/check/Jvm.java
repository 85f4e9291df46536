package io.github.distlock.lab.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.lab.check.Chunks.Chunk;
import io.github.distlock.lab.check.ServerClock.Reading;

/**
 * A JVM that was recorded, in one file or in several. Compared by identity.
 */
final class Jvm {

	private final String name;

	/** By registry: each may have another server. */
	private final Map<String, List<Reading>> readings = new HashMap<>();

	private final List<Pause> pauses = new ArrayList<>();

	private final List<Chunk> chunks = new ArrayList<>();

	/**
	 * Create a JVM.
	 * @param name its name for the reader: that of its first file
	 */
	Jvm(String name) {
		this.name = name;
	}

	void read(String registry, Reading reading) {
		this.readings.computeIfAbsent(registry, (name) -> new ArrayList<>()).add(reading);
	}

	List<Reading> readings(String registry) {
		return this.readings.getOrDefault(registry, List.of());
	}

	void recorded(List<Chunk> chunks) {
		this.chunks.addAll(chunks);
	}

	/**
	 * Return what was recorded, of all files.
	 */
	List<Chunk> chunks() {
		return this.chunks;
	}

	void paused(Pause pause) {
		this.pauses.add(pause);
	}

	/**
	 * Return the pauses during a hold.
	 */
	List<Pause> pauses(Hold hold) {
		return this.pauses.stream()
			.filter((pause) -> pause.start() - hold.wall() < hold.until()
					&& pause.start() + pause.nanos() - hold.wall() > hold.start())
			.toList();
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * All threads of the JVM stood still.
	 *
	 * @param what why
	 * @param start when, in nanoseconds since 1970 as the JVM has them
	 * @param nanos for how long
	 */
	record Pause(String what, long start, long nanos) {
	}

}
