package io.github.distlock.torture.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.Event;
import io.github.distlock.torture.history.History;
import io.github.distlock.torture.history.Kind;

/** The rules that need no more than one look at the history. */
final class SmallRules {

	/**
	 * S5, as the caller sees it: a call that has ended without the lock does not hold it
	 * later.
	 */
	static List<Violation> endedAttempts(History history) {
		return history.attempts()
			.stream()
			.filter((attempt) -> attempt.isGranted() && attempt.ended() != Attempt.NEVER)
			.map((attempt) -> Violation.of("S5", attempt + " ended without the lock and yet holds it", attempt))
			.toList();
	}

	/**
	 * S6: unlocking a lock that is not held always throws an exception.
	 */
	static List<Violation> unheldUnlocks(History history) {
		return history.events(Kind.UNHELD)
			.stream()
			.filter((event) -> !event.text("threw").equals(IllegalMonitorStateException.class.getSimpleName()))
			.map((event) -> new Violation("S6", event.text("what") + " ended with " + event.text("threw"),
					List.<Event>of(event)))
			.toList();
	}

	/**
	 * S3: only the owner changes a lock. If the store no longer knows a holder, although
	 * its lease has not expired and no data was lost, another client has removed it.
	 */
	static List<Violation> foreignChanges(History history) {
		Map<String, Attempt> holders = history.attempts()
			.stream()
			.filter(Attempt::isGranted)
			.collect(Collectors.toMap((attempt) -> attempt.key() + "|" + attempt.token(), (attempt) -> attempt,
					(first, second) -> first));
		List<Violation> violations = new ArrayList<>();
		for (Event lost : history.events(Kind.LOST)) {
			Attempt holder = holders.get(lost.text("key") + "|" + lost.text("token"));
			if (holder != null && lost.text("reason").startsWith("the_store_no_longer")
					&& lost.nanos() < holder.deadline() && !history.lostData(history.asked(holder), lost.nanos())) {
				violations.add(Violation.of("S3",
						holder + " lost '" + holder.key() + "' before its lease had passed: " + lost.text("reason"),
						holder));
			}
		}
		return violations;
	}

	/**
	 * L4: while nothing fails, no renewed lock is lost. A lock of an explicit lease may
	 * be lost, and any lock while the machine is stalled.
	 */
	static List<Violation> lossesWithoutFaults(History history) {
		if (!history.faults().isEmpty()) {
			return List.of();
		}
		Set<String> notRenewed = history.attempts()
			.stream()
			.filter((attempt) -> attempt.isGranted() && !attempt.isRenewed())
			.map((attempt) -> attempt.key() + "|" + attempt.token())
			.collect(Collectors.toSet());
		return history.events(Kind.LOST)
			.stream()
			.filter((event) -> !event.text("cause").isEmpty() && !event.text("cause").equals("LEASE_EXPIRED"))
			.filter((event) -> !notRenewed.contains(event.text("key") + "|" + event.text("token")))
			.filter((event) -> history.attempts().stream().noneMatch((attempt) -> stalled(attempt, event.nanos())))
			.map((event) -> new Violation("L4",
					event.source() + " lost '" + event.text("key") + "' without a fault: " + event.text("reason") + " ("
							+ event.text("cause") + ")",
					List.of(event)))
			.toList();
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
	 * S7: when all workers have stopped, nothing remains in the store and in the JVMs.
	 */
	static List<Violation> leftOvers(History history) {
		List<Violation> violations = new ArrayList<>();
		List<Event> leftOver = history.events(Kind.LEFT_OVER);
		if (leftOver.isEmpty()) {
			// The run has not ended.
			return violations;
		}
		leftOver.stream()
			.filter((event) -> !event.text("names").equals("none"))
			.forEach((event) -> violations
				.add(new Violation("S7", "Keys stay in the store: " + event.text("names"), List.of(event))));
		List<Event> stopped = history.events(Kind.IDLE);
		stopped.stream()
			.filter((event) -> !event.text("idle").equals("true") || event.number("threads") > 0)
			.forEach((event) -> violations.add(new Violation("S7",
					event.source() + " was not idle after all workers had stopped: threads " + event.text("threads")
							+ ", watched leases " + event.text("leases") + ", keys " + event.text("keys"),
					List.of(event))));
		Set<String> ended = stopped.stream().map(Event::source).collect(Collectors.toSet());
		history.attempts()
			.stream()
			.map(Attempt::worker)
			.distinct()
			.filter((worker) -> !ended.contains(worker) && history.death(worker) == Attempt.NEVER)
			.forEach((worker) -> violations.add(new Violation("S7", worker + " did not stop", List.of())));
		return violations;
	}

	/** With fewer readers this may be coincidence. */
	private static final int MANY_READERS = 100;

	/**
	 * R1: readers hold the lock together. It is violated if many readers held it and
	 * never two at the same time.
	 */
	static List<Violation> readersTogether(History history) {
		List<Attempt> readers = history.attempts()
			.stream()
			.filter((attempt) -> attempt.reads() && !attempt.claim().isEmpty())
			.toList();
		if (readers.size() < MANY_READERS) {
			return List.of();
		}
		boolean together = history.attemptsByKey().values().stream().anyMatch(SmallRules::overlap);
		return together ? List.of() : List.of(Violation.of("R1",
				"Of " + readers.size() + " readers no two were inside at the same time", readers.get(0)));
	}

	private static boolean overlap(List<Attempt> attempts) {
		long end = Long.MIN_VALUE;
		for (Attempt reader : attempts.stream()
			.filter((attempt) -> attempt.reads() && !attempt.claim().isEmpty())
			.sorted(Comparator.comparingLong((attempt) -> attempt.claim().start()))
			.toList()) {
			if (reader.claim().start() < end) {
				return true;
			}
			end = reader.claim().end();
		}
		return false;
	}

	private SmallRules() {
	}

}
