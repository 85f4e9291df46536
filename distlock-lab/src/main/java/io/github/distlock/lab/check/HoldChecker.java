package io.github.distlock.lab.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.distlock.lab.check.Finding.Kind;
import io.github.distlock.lab.check.ServerClock.Pair;

/**
 * Compares the holds of each key, two at a time.
 * <p>
 * Holds of one JVM are compared by its {@code System.nanoTime()}. Holds of two JVMs are
 * compared by the server's clock, of which each JVM knows bounds only: so the moments of
 * a hold are ranges, and a pair may be neither surely disjoint nor surely overlapping.
 */
final class HoldChecker {

	private final double drift;

	private final Map<List<Object>, List<ServerClock>> clocks = new HashMap<>();

	private final List<Finding> findings = new ArrayList<>();

	private long disjoint;

	private long unplaced;

	private long withoutToken;

	/**
	 * Create a checker.
	 * @param drift by how much two clocks may differ in speed: 0.0001 are 100 ppm
	 */
	HoldChecker(double drift) {
		this.drift = drift;
	}

	/**
	 * Compare holds.
	 * @param holds all holds of all JVMs
	 */
	void check(List<Hold> holds) {
		byKey(holds).values().forEach((members) -> {
			// A JVM that has read no clock of the server is compared with itself only.
			Map<Object, List<Placed>> axes = members.stream()
				.map((hold) -> Placed.of(hold, clocks(hold)))
				.sorted(Comparator.comparingLong(Placed::start))
				.collect(Collectors.groupingBy(Placed::axis));
			if (axes.size() > 1) {
				List<Hold> unplaced = members.stream().filter((hold) -> clocks(hold).isEmpty()).toList();
				long tokens = unplaced.stream().filter(Hold::hasToken).count();
				this.unplaced += tokens;
				this.withoutToken += unplaced.size() - tokens;
			}
			axes.values().forEach(this::compare);
			checkTokens(
					axes.values().stream().flatMap(List::stream).filter((placed) -> placed.hold.hasToken()).toList());
		});
	}

	static Map<String, List<Hold>> byKey(List<Hold> holds) {
		return holds.stream().collect(Collectors.groupingBy(Hold::key, LinkedHashMap::new, Collectors.toList()));
	}

	/**
	 * Return the clocks of the server of a hold, as its JVM has seen them.
	 */
	List<ServerClock> clocks(Hold hold) {
		return this.clocks.computeIfAbsent(List.of(hold.jvm(), hold.registry()),
				(name) -> ServerClock.find(hold.jvm().readings(hold.registry()), this.drift));
	}

	/**
	 * Return when a hold was, by the first clock of its server that its JVM has seen; by
	 * the clock of the JVM if it has seen none. A hold that may have lasted forever ends
	 * with its recording.
	 */
	Interval place(Hold hold) {
		Interval placed = Placed.of(hold, clocks(hold)).intervals.get(0);
		long last = Math.max(placed.start().high(), placed.end().low());
		return (hold.until() < Hold.FOREVER) ? placed : new Interval(placed.start(), new Range(last, last));
	}

	/**
	 * Return what was found, in no order.
	 */
	List<Finding> findings() {
		return this.findings;
	}

	/**
	 * Return how many pairs of holds are surely disjoint, of those that must be.
	 */
	long disjoint() {
		return this.disjoint;
	}

	/**
	 * Return how many holds were compared with those of other JVMs by tokens alone.
	 */
	long unplaced() {
		return this.unplaced;
	}

	/**
	 * Return how many holds could not even be compared by tokens with those of other
	 * JVMs.
	 */
	long withoutToken() {
		return this.withoutToken;
	}

	/** Compare each hold with those before it that may not have ended. */
	private void compare(List<Placed> holds) {
		Map<Hold, List<Finding>> readers = new LinkedHashMap<>();
		List<Placed> open = new ArrayList<>();
		long writers = holds.stream().filter((placed) -> !placed.hold.reads()).count();
		this.disjoint += writers * (writers - 1) / 2 + writers * (holds.size() - writers);
		for (Placed next : holds) {
			open.removeIf((placed) -> placed.end <= next.start);
			for (Placed other : open) {
				Range overlap = overlap(other, next);
				boolean shared = other.hold.reads() && next.hold.reads();
				Hold later = (other.hold.token() > next.hold.token()) ? other.hold : next.hold;
				if (overlap.high() > 0 && (!shared || later.permits() > 0)) {
					this.disjoint -= shared ? 0 : 1;
					(shared ? readers.computeIfAbsent(later, (reader) -> new ArrayList<>()) : this.findings)
						.add(new Finding(kind(overlap, other.hold, next.hold), other.hold, next.hold, overlap.high()));
				}
			}
			open.add(next);
		}
		readers.forEach((reader, others) -> checkPermits(reader.permits(), others));
	}

	private static Kind kind(Range overlap, Hold one, Hold other) {
		Kind unsure = (one.isOpen() || other.isOpen()) ? Kind.OPEN : Kind.UNCERTAIN;
		return (overlap.low() > 0) ? Kind.OVERLAP : unsure;
	}

	/**
	 * A reader with a limit enters only while fewer than that hold the lock. Of the
	 * readers beside it, sorted by certainty, the first one too many decides.
	 */
	private void checkPermits(int permits, List<Finding> others) {
		if (others.size() >= permits) {
			others.sort(Comparator.comparing(Finding::kind));
			this.findings.add(others.get(permits - 1));
		}
	}

	/**
	 * Tokens rise from holder to holder. The lock of a writer begins after all holds with
	 * lower tokens, and ends before all holds with higher ones.
	 */
	private void checkTokens(List<Placed> holds) {
		Placed before = null;
		Placed writer = null;
		for (Placed next : holds.stream().sorted(Comparator.comparingLong((placed) -> placed.hold.token())).toList()) {
			for (Placed other : Arrays.asList(before, writer)) {
				if (other != null && !(other.hold.reads() && next.hold.reads()) && !isRising(other, next)) {
					this.findings.add(new Finding(Kind.TOKEN, other.hold, next.hold, 0));
					break;
				}
			}
			before = next;
			writer = next.hold.reads() ? writer : next;
		}
	}

	private static boolean isRising(Placed one, Placed next) {
		boolean reversed = one.axis().equals(next.axis()) && next.end <= one.start;
		return one.hold.token() < next.hold.token() && !reversed;
	}

	/** What every pair of clocks that may be the same says. */
	private static Range overlap(Placed one, Placed other) {
		if (one.hold.jvm() == other.hold.jvm()) {
			return new Interval(one.hold).overlap(new Interval(other.hold));
		}
		Range all = new Range(Long.MAX_VALUE, Long.MIN_VALUE);
		for (Pair pair : ServerClock.pairs(one.clocks, other.clocks)) {
			Range overlap = one.intervals.get(pair.one()).overlap(other.intervals.get(pair.other()));
			all = new Range(Math.min(all.low(), overlap.low()), Math.max(all.high(), overlap.high()));
		}
		return all;
	}

	/**
	 * A hold on the axes of all clocks of its server.
	 */
	private record Placed(Hold hold, List<ServerClock> clocks, List<Interval> intervals, long start, long end) {

		static Placed of(Hold hold, List<ServerClock> clocks) {
			List<Interval> intervals = clocks.isEmpty() ? List.of(new Interval(hold))
					: clocks.stream().map((clock) -> new Interval(hold, clock)).toList();
			return new Placed(hold, clocks, intervals,
					intervals.stream().mapToLong((interval) -> interval.start().low()).min().orElseThrow(),
					intervals.stream().mapToLong((interval) -> interval.end().high()).max().orElseThrow());
		}

		Object axis() {
			return this.clocks.isEmpty() ? this.hold.jvm() : "server";
		}

	}

}
