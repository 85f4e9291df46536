package io.github.distlock.torture.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.History;

/**
 * L1: while a lock is free and a live JVM waits for it, some caller enters within the
 * bound. Times with faults do not count, and a lock is not free while the lease of a dead
 * JVM may last, or its session in a store whose locks have no leases.
 */
final class ProgressRule implements Rule {

	private static final Duration RECOVERY = Duration.ofSeconds(1);

	/** How much longer the lease in the store may be than the caller's. */
	private static final long EXTRA_LEASE_NANOS = Duration.ofMillis(100).toNanos();

	/**
	 * How long after a caller has given up a copy of its command may be executed. Until
	 * then its JVM cancels it again; if it dies before, the lease stays.
	 */
	private static final long LATE_COPY_NANOS = Duration.ofSeconds(3).toNanos();

	private final Duration bound;

	ProgressRule(Duration bound) {
		this.bound = bound;
	}

	@Override
	public List<Violation> check(History history) {
		// A JVM that receives no signal retries by itself, within the bound.
		FaultTimes faultTimes = new FaultTimes(history.faults(), (fault) -> !fault.name().equals("HALF_OPEN"),
				RECOVERY);
		List<Violation> violations = new ArrayList<>();
		history.attemptsByKey().forEach((key, attempts) -> check(key, attempts, history, faultTimes, violations));
		return violations;
	}

	private void check(String key, List<Attempt> attempts, History history, FaultTimes faultTimes,
			List<Violation> violations) {
		List<Edge> edges = new ArrayList<>();
		for (Attempt attempt : attempts) {
			addStay(attempt, history, edges);
			long end = Math.min(Math.min(attempt.granted(), attempt.ended()),
					Math.min(history.death(attempt.worker()), history.end()));
			if (attempt.waiting() < end) {
				edges.add(new Edge(attempt.waiting(), 0, 1, attempt));
				edges.add(new Edge(end, 0, -1, attempt));
			}
		}
		edges.sort(Comparator.comparingLong(Edge::nanos).thenComparing((edge) -> -edge.inside - edge.waiting));
		int inside = 0;
		int waiting = 0;
		long since = Attempt.NEVER;
		for (Edge edge : edges) {
			boolean stuck = inside == 0 && waiting > 0;
			inside += edge.inside;
			waiting += edge.waiting;
			if (stuck && (inside > 0 || waiting == 0)
					&& faultTimes.faultFreeNanos(since, edge.nanos) > this.bound.toNanos()) {
				violations.add(Violation.of("L1", "'" + key + "' was free for " + (edge.nanos - since) / 1_000_000
						+ " ms while others waited; then came or left " + edge.attempt, edge.attempt));
			}
			if (!stuck && inside == 0 && waiting > 0) {
				since = edge.nanos;
			}
		}
	}

	private static void addStay(Attempt attempt, History history, List<Edge> edges) {
		long death = history.death(attempt.worker());
		long afterDeath = (death != Attempt.NEVER) ? death + history.keptNanos(attempt) + EXTRA_LEASE_NANOS
				: Attempt.NEVER;
		if (attempt.isGranted()) {
			stay(attempt, attempt.granted(), (attempt.released() != Attempt.NEVER) ? attempt.released() : afterDeath,
					edges);
		}
		else if (death != Attempt.NEVER
				&& (attempt.ended() == Attempt.NEVER || death - attempt.ended() < LATE_COPY_NANOS)) {
			// The store may have granted it before it died.
			stay(attempt, death, afterDeath, edges);
		}
	}

	private static void stay(Attempt attempt, long from, long to, List<Edge> edges) {
		edges.add(new Edge(from, 1, 0, attempt));
		if (to != Attempt.NEVER) {
			edges.add(new Edge(to, -1, 0, attempt));
		}
	}

	private record Edge(long nanos, int inside, int waiting, Attempt attempt) {
	}

}
