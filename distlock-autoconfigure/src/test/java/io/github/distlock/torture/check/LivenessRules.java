package io.github.distlock.torture.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** What must happen in time, and in which order, while nothing fails. */
final class LivenessRules {

	/** How long a lock may be free while a caller waits. */
	private static final Duration BOUND = Duration.ofSeconds(7);

	private static final Duration RECOVERY = Duration.ofSeconds(1);

	/** The time until all inboxes are subscribed again and the queue is in order. */
	private static final Duration ORDERLY = Duration.ofSeconds(3);

	/** Entries that were granted before the wait began may be recorded after it. */
	private static final int LATE_RECORDS = 1;

	/** How much longer the lease in the store may be than the caller's. */
	private static final long EXTRA_LEASE_NANOS = Duration.ofMillis(100).toNanos();

	/**
	 * How long after a caller has given up a copy of its command may be executed. Until
	 * then its JVM cancels it again; if it dies before, the lease stays.
	 */
	private static final long LATE_COPY_NANOS = Duration.ofSeconds(3).toNanos();

	/** With fewer readers it may be coincidence that no two were inside together. */
	private static final int MANY_READERS = 100;

	/** Each of 4 x 4 threads, after each turn of a JVM with 4 threads. */
	private static final int MOST_LATER_READERS = 16 * 4;

	private LivenessRules() {
	}

	/**
	 * S8: without faults, the other JVMs enter at most (M - 1)(budget + 1) times before a
	 * waiting JVM enters. A store that JVMs poll does not order them.
	 */
	static void overtaking(History history, Consumer<Violation> found) {
		if (!history.events(Kind.POLLED).isEmpty()) {
			return;
		}
		FaultTimes faultTimes = new FaultTimes(history, (fault) -> true, ORDERLY);
		for (List<Attempt> attempts : history.attemptsByKey().values()) {
			List<Attempt> entries = attempts.stream()
				.filter(Attempt::isGranted)
				.sorted(Comparator.comparingLong((attempt) -> attempt.granted))
				.toList();
			Map<String, Attempt> last = new HashMap<>();
			for (int i = 0; i < entries.size(); i++) {
				Attempt entry = entries.get(i);
				Attempt before = last.put(place(entry), entry);
				// A JVM is queued again from its last release on.
				long from = (before == null || before.released == Attempt.NEVER) ? entry.waiting
						: Math.max(before.released, entry.waiting);
				if (entry.waiting != Attempt.NEVER && !entry.claim().isEmpty()
						&& faultTimes.faultFreeNanos(from, entry.granted) >= entry.granted - from) {
					int first = i;
					while (first > 0 && entries.get(first - 1).granted > from) {
						first--;
					}
					checkOvertakers(entry, entries.subList(first, i), found);
				}
			}
		}
	}

	/** Fair callers and readers have tickets of their own, not shared with their JVM. */
	private static String place(Attempt attempt) {
		return (attempt.isFair() || attempt.reads()) ? attempt.id() : attempt.worker();
	}

	private static void checkOvertakers(Attempt entry, List<Attempt> others, Consumer<Violation> found) {
		long places = others.stream().map(LivenessRules::place).distinct().count();
		long most = places * (Checker.HAND_OFF_BUDGET + 1) + LATE_RECORDS;
		if (others.size() > most) {
			found.accept(Violation.of("S8",
					others.size() + " entries of " + places + " others overtook " + entry + ", more than " + most,
					entry));
		}
	}

	/**
	 * L1: while a lock is free and a live JVM waits for it, some caller enters within the
	 * bound. Times with faults do not count, and a lock is not free while the lease of a
	 * dead JVM may last, or its session in a store whose locks have no leases.
	 */
	static void progress(History history, Consumer<Violation> found) {
		// A JVM that receives no signal retries by itself, within the bound.
		FaultTimes faultTimes = new FaultTimes(history, (fault) -> !fault.name().equals("HALF_OPEN"), RECOVERY);
		history.attemptsByKey().forEach((key, attempts) -> {
			int inside = 0;
			int waiting = 0;
			long since = Attempt.NEVER;
			for (Edge edge : edges(attempts, history)) {
				boolean stuck = inside == 0 && waiting > 0;
				inside += edge.inside;
				waiting += edge.waiting;
				if (stuck && (inside > 0 || waiting == 0)
						&& faultTimes.faultFreeNanos(since, edge.nanos) > BOUND.toNanos()) {
					found.accept(
							Violation.of("L1",
									"'" + key + "' was free for " + (edge.nanos - since) / 1_000_000
											+ " ms while others waited; then came or left " + edge.attempt,
									edge.attempt));
				}
				if (!stuck && inside == 0 && waiting > 0) {
					since = edge.nanos;
				}
			}
		});
	}

	/** When callers of a key begin and end to wait and to be inside. */
	private static List<Edge> edges(List<Attempt> attempts, History history) {
		List<Edge> edges = new ArrayList<>();
		for (Attempt attempt : attempts) {
			long death = history.death(attempt.worker());
			long afterDeath = (death != Attempt.NEVER) ? death + history.keptNanos(attempt) + EXTRA_LEASE_NANOS
					: Attempt.NEVER;
			// The store may have granted it before it died.
			boolean lateCopy = death != Attempt.NEVER
					&& (attempt.ended == Attempt.NEVER || death - attempt.ended < LATE_COPY_NANOS);
			if (attempt.isGranted() || lateCopy) {
				boolean released = attempt.isGranted() && attempt.released != Attempt.NEVER;
				long until = released ? attempt.released : afterDeath;
				edges.add(new Edge(attempt.isGranted() ? attempt.granted : death, 1, 0, attempt));
				edges.add(new Edge(until, -1, 0, attempt));
			}
			long end = history.endOfWait(attempt);
			if (attempt.waiting < end) {
				edges.add(new Edge(attempt.waiting, 0, 1, attempt));
				edges.add(new Edge(end, 0, -1, attempt));
			}
		}
		edges.removeIf((edge) -> edge.nanos == Attempt.NEVER);
		edges.sort(Comparator.comparingLong(Edge::nanos).thenComparing((edge) -> -edge.inside - edge.waiting));
		return edges;
	}

	/**
	 * L4: while nothing fails, no renewed lock is lost. A lock of an explicit lease may
	 * be lost, and any lock while the machine is stalled.
	 */
	static void lossesWithoutFaults(History history, Consumer<Violation> found) {
		if (!history.faults().isEmpty()) {
			return;
		}
		Set<String> notRenewed = history.attempts()
			.stream()
			.filter((attempt) -> attempt.isGranted() && !attempt.isRenewed())
			.map((attempt) -> attempt.key() + "|" + attempt.token)
			.collect(Collectors.toSet());
		history.events(Kind.LOST)
			.stream()
			.filter((event) -> !event.text("cause").isEmpty() && !event.text("cause").equals("LEASE_EXPIRED"))
			.filter((event) -> !notRenewed.contains(event.text("key") + "|" + event.text("token")))
			.filter((event) -> history.attempts().stream().noneMatch((attempt) -> stalled(attempt, event.nanos())))
			.map((event) -> new Violation("L4",
					event.source() + " lost '" + event.text("key") + "' without a fault: " + event.text("reason") + " ("
							+ event.text("cause") + ")",
					List.of(event)))
			.forEach(found);
	}

	/**
	 * Whether a holder did not run for a quarter of its lease, within the lease before a
	 * loss. It checks its lock every few milliseconds, and needs no store for that.
	 */
	private static boolean stalled(Attempt attempt, long lost) {
		long before = Attempt.NEVER;
		for (Event event : attempt.events()) {
			if (event.kind() == Kind.CHECK) {
				if (before < lost && event.nanos() > lost - attempt.leaseNanos()
						&& event.nanos() - before > attempt.leaseNanos() / 4) {
					return true;
				}
				before = event.nanos();
			}
		}
		return false;
	}

	/**
	 * R1: readers hold the lock together. It is violated if many readers held it and
	 * never two at the same time, or with permits never as many as may.
	 */
	static void readersTogether(History history, Consumer<Violation> found) {
		checkTogether(history, false, found);
		checkTogether(history, true, found);
	}

	private static void checkTogether(History history, boolean limited, Consumer<Violation> found) {
		List<Attempt> all = new ArrayList<>();
		for (List<Attempt> attempts : history.attemptsByKey().values()) {
			List<Attempt> inside = new ArrayList<>();
			for (Attempt reader : SafetyRules.entries(attempts)) {
				if (reader.reads() && limited == reader.permits() < Long.MAX_VALUE) {
					inside.removeIf((other) -> other.claim().end() <= reader.claim().start());
					inside.add(reader);
					if (inside.size() >= (limited ? reader.permits() : 2)) {
						return;
					}
					all.add(reader);
				}
			}
		}
		if (all.size() >= MANY_READERS) {
			found.accept(Violation.of("R1", "Of " + all.size() + " readers no "
					+ (limited ? all.get(0).permits() : "two") + " were inside at the same time", all.get(0)));
		}
	}

	/**
	 * R2: without faults, later readers do not starve a waiting writer. Some readers may
	 * enter before it: a writer waits in the queue of its JVM first, and after each turn
	 * of that JVM the tickets queued meanwhile are next.
	 */
	static void writerStarvation(History history, Consumer<Violation> found) {
		FaultTimes faultTimes = new FaultTimes(history, (fault) -> true, ORDERLY);
		history.attemptsByKey().values().forEach((attempts) -> {
			List<Attempt> readers = attempts.stream()
				.filter((attempt) -> attempt.reads() && attempt.isGranted())
				.toList();
			for (Attempt writer : attempts) {
				long end = history.endOfWait(writer);
				if (writer.reads() || writer.waiting >= end
						|| faultTimes.faultFreeNanos(writer.waiting, end) < end - writer.waiting) {
					continue;
				}
				long later = readers.stream()
					.filter((reader) -> reader.started > writer.waiting && reader.granted < end)
					.count();
				if (later > MOST_LATER_READERS) {
					found.accept(Violation.of("R2", later + " readers who called later entered '" + writer.key()
							+ "' while " + writer + " waited, more than " + MOST_LATER_READERS, writer));
				}
			}
		});
	}

	private record Edge(long nanos, int inside, int waiting, Attempt attempt) {
	}

}
