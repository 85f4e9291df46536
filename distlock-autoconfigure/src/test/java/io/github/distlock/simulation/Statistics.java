package io.github.distlock.simulation;

import java.util.EnumMap;
import java.util.Map;

import io.github.distlock.HandOff;
import io.github.distlock.LossCause;

/** What happened in one history, in numbers. */
final class Statistics {

	/** Calls by their end. */
	final Map<Call.End, Integer> ends = new EnumMap<>(Call.End.class);

	/** Acquisitions by the way in which the lock came. */
	final Map<HandOff, Integer> handOffs = new EnumMap<>(HandOff.class);

	/** Losses by their cause. */
	final Map<LossCause, Integer> losses = new EnumMap<>(LossCause.class);

	int calls;

	int waits;

	int reentries;

	int crashes;

	int lostMessages;

	/** Virtual time when all callers had finished. */
	long nanos;

	/** Steps of the scheduler until then. */
	long steps;

	static <K extends Enum<K>> void count(Map<K, Integer> counts, K kind) {
		counts.merge(kind, 1, Integer::sum);
	}

	int acquisitions() {
		return this.ends.getOrDefault(Call.End.ENTERED, 0);
	}

	/** How many locks came from another holder. */
	int handOffs() {
		return this.handOffs.values().stream().mapToInt(Integer::intValue).sum()
				- this.handOffs.getOrDefault(HandOff.NONE, 0);
	}

	int losses() {
		return this.losses.values().stream().mapToInt(Integer::intValue).sum();
	}

	@Override
	public String toString() {
		return this.calls + " calls " + this.ends + ", " + this.waits + " waits, " + this.handOffs + ", "
				+ this.reentries + " re-entries, losses " + this.losses + ", " + this.crashes + " crashes";
	}

}
