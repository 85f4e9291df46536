package io.github.distlock.torture.check;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** What must never happen, at whatever speed. */
final class SafetyRules {

	private SafetyRules() {
	}

	/**
	 * S1: while a lock is guaranteed to one holder it is guaranteed to no other, except
	 * to readers together, as many as their permits, and except if the store lost data
	 * after it was asked for one of the grants and before the second holder entered. All
	 * readers of a key have the same permits.
	 */
	static void exclusion(History history, Consumer<Violation> found) {
		history.attemptsByKey().values().forEach((attempts) -> {
			PriorityQueue<Attempt> inside = new PriorityQueue<>(
					Comparator.comparingLong((attempt) -> attempt.claim().end()));
			for (Attempt next : entries(attempts)) {
				while (!inside.isEmpty() && inside.peek().claim().end() <= next.claim().start()) {
					inside.poll();
				}
				List<Attempt> kept = inside.stream()
					.filter((other) -> !history.lostData(Math.min(history.asked(other), history.asked(next)),
							next.granted))
					.toList();
				kept.stream()
					.filter((other) -> !(other.reads() && next.reads()))
					.forEach((other) -> found.accept(Violation.of("S1",
							next + " was guaranteed '" + next.key() + "' while " + other + " still was", other, next)));
				if (next.reads() && kept.stream().filter(Attempt::reads).count() >= next.permits()) {
					found.accept(Violation.of("S1", next + " was guaranteed '" + next.key() + "', which only "
							+ next.permits() + " may hold, while " + kept + " still were", next));
				}
				inside.add(next);
			}
		});
	}

	/** A holder whose deadline had passed when its call returned has not entered. */
	static List<Attempt> entries(List<Attempt> attempts) {
		return attempts.stream()
			.filter((attempt) -> !attempt.claim().isEmpty())
			.sorted(Comparator.comparingLong((attempt) -> attempt.claim().start()))
			.toList();
	}

	/**
	 * S2: fencing tokens strictly increase in order of entry. Tokens of readers that may
	 * hold the lock together only have to be higher than those of earlier writers. After
	 * the store lost data an older holder may enter late, but no token is granted twice.
	 */
	static void risingTokens(History history, Consumer<Violation> found) {
		for (List<Attempt> attempts : history.attemptsByKey().values()) {
			Map<Long, Attempt> given = new HashMap<>();
			Attempt highest = null;
			Attempt highestWriter = null;
			for (Attempt next : entries(attempts)) {
				Attempt twin = given.put(next.token, next);
				Attempt before = (twin != null) ? twin : next.reads() ? highestWriter : highest;
				if (before != null && (twin != null
						|| next.token < before.token && !history.lostData(history.asked(next), before.granted))) {
					found.accept(Violation.of("S2",
							next + " entered '" + next.key() + "' after " + before + " with a token that is not higher",
							before, next));
				}
				highest = higher(highest, next);
				highestWriter = next.reads() ? highestWriter : higher(highestWriter, next);
			}
		}
	}

	private static Attempt higher(@Nullable Attempt one, Attempt other) {
		return (one == null || other.token > one.token) ? other : one;
	}

	/**
	 * S1 and S2, as the resource sees them. Critical sections may overlap when one holder
	 * has passed its deadline, but then the older token is refused once the newer one was
	 * seen. No holder is refused while its lock is guaranteed, unless the store lost
	 * data. A reader's token is outdated only by a writer's, a writer's token by any
	 * later one.
	 */
	static void fencedResource(History history, Consumer<Violation> found) {
		Map<String, Attempt> attempts = history.attempts()
			.stream()
			.collect(Collectors.toMap(Attempt::id, Function.identity()));
		Map<String, Event> highest = new HashMap<>();
		Map<String, Event> highestWriter = new HashMap<>();
		for (Event access : history.events(Kind.ACCESS)) {
			boolean reads = access.text("op").equals("look");
			Event before = (reads ? highestWriter : highest).get(access.text("key"));
			Attempt attempt = attempts.get(access.text("attempt"));
			boolean stale = before != null && before.number("token") > access.number("token");
			if (access.text("ok").equals("true")) {
				if (stale) {
					found.accept(new Violation("S1", "The resource accepted an older token after a newer one",
							List.of(before, access)));
				}
				highest.merge(access.text("key"), access, SafetyRules::higher);
				if (!reads) {
					highestWriter.merge(access.text("key"), access, SafetyRules::higher);
				}
			}
			else if (before != null && attempt != null && attempt.claim().contains(access.nanos())
					&& !history.lostData(history.asked(attempt), access.nanos())) {
				found.accept(new Violation("S2", "The resource refused a holder whose lock was guaranteed",
						List.of(before, access)));
			}
		}
	}

	private static Event higher(Event one, Event other) {
		return (other.number("token") >= one.number("token")) ? other : one;
	}

	/**
	 * S3: only the owner changes a lock. If the store no longer knows a holder, although
	 * its lease has not expired and no data was lost, another client has removed it.
	 */
	static void foreignChanges(History history, Consumer<Violation> found) {
		Map<String, Attempt> holders = history.attempts()
			.stream()
			.filter(Attempt::isGranted)
			.collect(Collectors.toMap((attempt) -> attempt.key() + "|" + attempt.token, Function.identity(),
					(first, second) -> first));
		for (Event lost : history.events(Kind.LOST)) {
			Attempt holder = holders.get(lost.text("key") + "|" + lost.text("token"));
			if (holder != null && lost.text("reason").startsWith("the_store_no_longer")
					&& lost.nanos() < holder.deadline && !history.lostData(history.asked(holder), lost.nanos())) {
				found.accept(Violation.of("S3",
						holder + " lost '" + holder.key() + "' before its lease had passed: " + lost.text("reason"),
						holder));
			}
		}
	}

	/**
	 * S5, as the caller sees it: a call that has ended without the lock does not hold it
	 * later.
	 */
	static void endedAttempts(History history, Consumer<Violation> found) {
		history.attempts()
			.stream()
			.filter((attempt) -> attempt.isGranted() && attempt.ended != Attempt.NEVER)
			.map((attempt) -> Violation.of("S5", attempt + " ended without the lock and yet holds it", attempt))
			.forEach(found);
	}

	/** S6: the release of a lock that its holder could know to be lost fails. */
	static void lateReleases(History history, Consumer<Violation> found) {
		history.attempts()
			.stream()
			.filter((attempt) -> attempt.knownLost && attempt.isReleasedWell())
			.map((attempt) -> Violation.of("S6", attempt + " was released without a complaint, and was lost", attempt))
			.forEach(found);
	}

	/** S6: unlocking a lock that is not held always throws an exception. */
	static void unheldUnlocks(History history, Consumer<Violation> found) {
		history.events(Kind.UNHELD)
			.stream()
			.filter((event) -> !event.text("threw").equals(IllegalMonitorStateException.class.getSimpleName()))
			.map((event) -> new Violation("S6", event.text("what") + " ended with " + event.text("threw"),
					List.of(event)))
			.forEach(found);
	}

}
