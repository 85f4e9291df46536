package io.github.distlock.benchmarks.workers;

import java.util.ArrayList;
import java.util.List;

/**
 * A histogram of times, with 32 buckets for each power of two and the exact maximum. Not
 * thread-safe.
 */
public final class Latencies {

	private static final int SUB_BITS = 5;

	private static final int SUB = 1 << SUB_BITS;

	private final long[] counts = new long[64 * SUB];

	private long max;

	/**
	 * Record a time.
	 * @param nanos the time; less than nothing counts as nothing
	 */
	public void record(long nanos) {
		long value = Math.max(0, nanos);
		this.counts[bucket(value)]++;
		this.max = Math.max(this.max, value);
	}

	/**
	 * Add those of another histogram.
	 * @param other the other
	 */
	public void add(Latencies other) {
		for (int i = 0; i < this.counts.length; i++) {
			this.counts[i] += other.counts[i];
		}
		this.max = Math.max(this.max, other.max);
	}

	/**
	 * Return the time that a share of all does not exceed.
	 * @param share between 0 and 1
	 * @return nanoseconds, 3 % too long at most; 0 if there are none
	 */
	public long quantile(double share) {
		long all = 0;
		for (long count : this.counts) {
			all += count;
		}
		long rank = (long) Math.ceil(share * all);
		long seen = 0;
		for (int i = 0; i < this.counts.length && all > 0; i++) {
			seen += this.counts[i];
			if (seen >= rank && seen > 0) {
				return Math.min(this.max, upperEnd(i));
			}
		}
		return this.max;
	}

	/**
	 * Return the longest time.
	 * @return nanoseconds, exact
	 */
	public long max() {
		return this.max;
	}

	/**
	 * Write all down.
	 * @return a text without blanks
	 */
	String encode() {
		List<String> parts = new ArrayList<>();
		parts.add(Long.toString(this.max));
		for (int i = 0; i < this.counts.length; i++) {
			if (this.counts[i] > 0) {
				parts.add(i + ":" + this.counts[i]);
			}
		}
		return String.join(",", parts);
	}

	/**
	 * Read what was written down.
	 * @param text the text
	 * @return the histogram
	 */
	static Latencies decode(String text) {
		Latencies latencies = new Latencies();
		String[] parts = text.split(",");
		latencies.max = Long.parseLong(parts[0]);
		for (int i = 1; i < parts.length; i++) {
			int colon = parts[i].indexOf(':');
			latencies.counts[Integer.parseInt(parts[i].substring(0, colon))] = Long
				.parseLong(parts[i].substring(colon + 1));
		}
		return latencies;
	}

	private static int bucket(long value) {
		if (value < SUB) {
			return (int) value;
		}
		int shift = 63 - Long.numberOfLeadingZeros(value) - SUB_BITS;
		return (shift + 1) * SUB + (int) ((value >> shift) & (SUB - 1));
	}

	private static long upperEnd(int bucket) {
		if (bucket < SUB) {
			return bucket;
		}
		int shift = bucket / SUB - 1;
		return ((long) (SUB + bucket % SUB + 1) << shift) - 1;
	}

}
