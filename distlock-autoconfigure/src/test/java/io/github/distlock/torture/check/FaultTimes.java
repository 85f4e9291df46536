package io.github.distlock.torture.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import io.github.distlock.torture.history.Fault;

/**
 * The times with faults, each with a recovery time: there are no guarantees about speed
 * then. Stored as disjoint spans in order, each with the sum of all before it.
 */
final class FaultTimes {

	private final List<long[]> spans = new ArrayList<>();

	private final List<Long> sums = new ArrayList<>();

	FaultTimes(List<Fault> faults, Predicate<Fault> relevant, Duration recovery) {
		long sum = 0;
		for (Fault fault : faults.stream().filter(relevant).sorted(Comparator.comparingLong(Fault::begin)).toList()) {
			long end = (fault.end() == Long.MAX_VALUE) ? fault.end() : fault.end() + recovery.toNanos();
			long[] last = this.spans.isEmpty() ? null : this.spans.get(this.spans.size() - 1);
			if (last != null && fault.begin() <= last[1]) {
				last[1] = Math.max(last[1], end);
			}
			else {
				if (last != null) {
					sum += last[1] - last[0];
				}
				this.spans.add(new long[] { fault.begin(), end });
				this.sums.add(sum);
			}
		}
	}

	/** The time without faults until a moment, up to a constant. */
	long quietUntil(long nanos) {
		int low = 0;
		int high = this.spans.size();
		while (low < high) {
			int middle = (low + high) >>> 1;
			if (this.spans.get(middle)[0] < nanos) {
				low = middle + 1;
			}
			else {
				high = middle;
			}
		}
		if (low == 0) {
			return nanos;
		}
		long[] span = this.spans.get(low - 1);
		return nanos - this.sums.get(low - 1) - (Math.min(nanos, span[1]) - span[0]);
	}

	/** The time without faults between two moments. */
	long faultFreeNanos(long from, long to) {
		return quietUntil(to) - quietUntil(from);
	}

}
