package io.github.distlock.lab.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map.Entry;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The clock of a server, as one JVM has seen it: how far it is ahead of
 * {@code System.nanoTime()} there. Each reading bounds that, and the bounds narrow over
 * many readings.
 * <p>
 * <b>Drift.</b> The two clocks do not run equally fast, so a bound is wider before and
 * after its reading.
 * <p>
 * <b>Jumps.</b> Another server after a failover has another clock, and the clock of a
 * server can be set. Readings that contradict each other are of different clocks. Each
 * clock is continued over the times of the others, as if it had not jumped, so that two
 * JVMs can be compared by any clock that both have seen. A jump that is smaller than the
 * bounds is not found.
 */
final class ServerClock {

	private final double drift;

	/** What each reading says, by the moment of its answer. */
	private final NavigableMap<Long, Range> readings = new TreeMap<>();

	/** What each reading and those before it say. */
	private final NavigableMap<Long, Range> before = new TreeMap<>();

	/** What each reading and those after it say. */
	private final NavigableMap<Long, Range> after = new TreeMap<>();

	private ServerClock(double drift) {
		this.drift = drift;
	}

	/**
	 * Find the clocks of a server.
	 * @param readings what one JVM has read
	 * @param drift by how much two clocks may differ in speed: 0.0001 are 100 ppm
	 * @return the clocks in their order: more than one if they jump, none without a
	 * reading
	 */
	static List<ServerClock> find(List<Reading> readings, double drift) {
		NavigableMap<Long, Range> all = new TreeMap<>();
		readings.forEach((reading) -> all.put(reading.answered, reading.ahead(drift)));
		List<ServerClock> clocks = new ArrayList<>();
		all.forEach((answered, ahead) -> {
			if (clocks.isEmpty() || !clocks.get(clocks.size() - 1).add(answered, ahead)) {
				ServerClock clock = new ServerClock(drift);
				clock.add(answered, ahead);
				clocks.add(clock);
			}
		});
		for (int i = clocks.size() - 1; i >= 0; i--) {
			if (i + 1 < clocks.size()) {
				clocks.get(i).endBefore(clocks.get(i + 1));
			}
			clocks.get(i).lookBack();
		}
		return clocks;
	}

	/** Add a later reading, unless it contradicts the earlier ones. */
	private boolean add(long answered, Range ahead) {
		Range all = this.before.isEmpty() ? ahead : ahead.meet(drifted(this.before.lastEntry(), answered));
		if (!all.isEmpty()) {
			this.readings.put(answered, ahead);
			this.before.put(answered, all);
		}
		return !all.isEmpty();
	}

	/**
	 * Leave out the last readings if they may be of the next clock: only a reading that
	 * is precise enough shows a jump.
	 */
	private void endBefore(ServerClock next) {
		while (this.readings.size() > 1) {
			Entry<Long, Range> last = this.readings.lastEntry();
			if (last.getValue().meet(drifted(next.after.firstEntry(), last.getKey())).isEmpty()) {
				return;
			}
			this.readings.pollLastEntry();
			this.before.pollLastEntry();
		}
	}

	private void lookBack() {
		this.readings.descendingMap()
			.forEach((answered, ahead) -> this.after.put(answered,
					this.after.isEmpty() ? ahead : ahead.meet(drifted(this.after.firstEntry(), answered))));
	}

	private Range drifted(Entry<Long, Range> reading, long nanos) {
		long drifted = (long) Math.ceil(Math.abs(nanos - reading.getKey()) * this.drift);
		return new Range(reading.getValue().low() - drifted, reading.getValue().high() + drifted);
	}

	/**
	 * Return what the server's clock showed.
	 * @param nanos a moment of the JVM
	 */
	Range at(long nanos) {
		Entry<Long, Range> past = this.before.floorEntry(nanos);
		Entry<Long, Range> future = this.after.higherEntry(nanos);
		Range ahead = drifted(Objects.requireNonNull((past != null) ? past : future), nanos);
		return ((future != null) ? ahead.meet(drifted(future, nanos)) : ahead).plus(nanos);
	}

	/**
	 * Return the pairs of clocks of two JVMs that may be the same clock. If both have
	 * seen the same jumps, these are the first ones, the second ones, and so on. If not,
	 * any may be the same.
	 * @param ones the clocks of one JVM
	 * @param others the clocks of the other JVM, of the same server
	 */
	static List<Pair> pairs(List<ServerClock> ones, List<ServerClock> others) {
		boolean same = ones.size() == others.size();
		for (int i = 1; same && i < ones.size(); i++) {
			same = !jump(ones, i).meet(jump(others, i)).isEmpty();
		}
		List<Pair> pairs = new ArrayList<>();
		for (int i = 0; i < ones.size(); i++) {
			for (int k = 0; k < others.size(); k++) {
				if (i == k || !same) {
					pairs.add(new Pair(i, k));
				}
			}
		}
		return pairs;
	}

	/** By how much a clock was ahead of the one before it. */
	private static Range jump(List<ServerClock> clocks, int index) {
		long first = clocks.get(index).readings.firstKey();
		Range one = clocks.get(index - 1).at(first);
		Range next = clocks.get(index).at(first);
		return new Range(next.low() - one.high(), next.high() - one.low());
	}

	/**
	 * The server's clock has shown a time between two moments of a JVM.
	 *
	 * @param asked the JVM's clock before the command was sent, in ns
	 * @param answered the JVM's clock after its answer
	 * @param micros the time of the server, which it cuts to microseconds
	 */
	record Reading(long asked, long answered, long micros) {

		/** How far the server was ahead when its answer had arrived. */
		Range ahead(double drift) {
			long waited = this.answered - this.asked;
			return new Range(this.micros * 1000 - this.answered,
					(this.micros + 1) * 1000 - this.asked + (long) Math.ceil(waited * drift));
		}

	}

	/**
	 * Indexes of two clocks.
	 */
	record Pair(int one, int other) {
	}

}
