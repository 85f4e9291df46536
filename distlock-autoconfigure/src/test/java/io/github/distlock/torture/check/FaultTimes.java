package io.github.distlock.torture.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * The times with faults, each with a recovery time: there are no guarantees about speed
 * then.
 */
public final class FaultTimes {

	/** Begin and end of each, the earliest first. They do not overlap. */
	private final List<long[]> spans = new ArrayList<>();

	public FaultTimes() {
	}

	FaultTimes(History history, Predicate<History.Fault> relevant, Duration recovery) {
		history.faults()
			.stream()
			.filter(relevant)
			.sorted(Comparator.comparingLong(History.Fault::begin))
			.forEach((fault) -> add(fault.begin(),
					(fault.end() == Long.MAX_VALUE) ? fault.end() : fault.end() + recovery.toNanos()));
	}

	/** Add a span that does not begin before the others. */
	public void add(long from, long to) {
		long[] last = this.spans.isEmpty() ? null : this.spans.get(this.spans.size() - 1);
		if (last != null && from <= last[1]) {
			last[1] = Math.max(last[1], to);
		}
		else {
			this.spans.add(new long[] { from, to });
		}
	}

	public boolean isEmpty() {
		return this.spans.isEmpty();
	}

	public long faultFreeNanos(long from, long to) {
		long nanos = to - from;
		for (long[] span : this.spans) {
			nanos -= Math.max(0, Math.min(to, span[1]) - Math.max(from, span[0]));
		}
		return nanos;
	}

}
