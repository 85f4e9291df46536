package io.github.distlock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What happened, in order. The hash of it shows whether two runs of a seed are the same.
 */
final class Trace {

	final List<String> lines = new ArrayList<>();

	private final boolean kept;

	private long hash = 0xcbf29ce484222325L;

	Trace(boolean kept) {
		this.kept = kept;
	}

	void add(long nanos, String actor, String event) {
		mix(Long.toString(nanos));
		mix(actor);
		mix(event);
		if (this.kept) {
			this.lines.add(String.format(Locale.ROOT, "%,15d us  %-12s %s", nanos / 1000, actor, event));
		}
	}

	private void mix(String text) {
		for (byte part : text.getBytes(StandardCharsets.UTF_8)) {
			this.hash = (this.hash ^ part) * 0x100000001b3L;
		}
		this.hash = (this.hash ^ 0xff) * 0x100000001b3L;
	}

	String hash() {
		return String.format(Locale.ROOT, "%016x", this.hash);
	}

}
