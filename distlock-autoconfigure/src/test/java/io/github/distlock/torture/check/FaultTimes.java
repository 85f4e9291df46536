package io.github.distlock.torture.check;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

import io.github.distlock.torture.history.Fault;

/**
 * The times with faults, each with a recovery time: there are no guarantees about speed
 * then.
 */
final class FaultTimes {

	/** By the begin of each span. */
	private final NavigableMap<Long, Span> spans = new TreeMap<>();

	FaultTimes(List<Fault> faults, Predicate<Fault> relevant, Duration recovery) {
		for (Fault fault : faults.stream().filter(relevant).sorted(Comparator.comparingLong(Fault::begin)).toList()) {
			long end = (fault.end() == Long.MAX_VALUE) ? fault.end() : fault.end() + recovery.toNanos();
			Span last = this.spans.isEmpty() ? null : this.spans.lastEntry().getValue();
			if (last == null || fault.begin() > last.end) {
				long before = (last != null) ? last.before + last.end - last.begin : 0;
				this.spans.put(fault.begin(), new Span(fault.begin(), end, before));
			}
			else if (end > last.end) {
				this.spans.put(last.begin, new Span(last.begin, end, last.before));
			}
		}
	}

	/** The time without faults until a moment, up to a constant. */
	long quietUntil(long nanos) {
		Map.Entry<Long, Span> entry = this.spans.lowerEntry(nanos);
		if (entry == null) {
			return nanos;
		}
		Span span = entry.getValue();
		return nanos - span.before - (Math.min(nanos, span.end) - span.begin);
	}

	/** The time without faults between two moments. */
	long faultFreeNanos(long from, long to) {
		return quietUntil(to) - quietUntil(from);
	}

	/** A span with faults, and how long all spans before it are together. */
	private record Span(long begin, long end, long before) {
	}

}
