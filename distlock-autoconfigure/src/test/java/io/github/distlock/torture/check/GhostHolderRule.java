package io.github.distlock.torture.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.Event;
import io.github.distlock.torture.history.History;
import io.github.distlock.torture.history.Kind;

/**
 * S4 and S5, as the store sees them. A holder does not remain the owner for long after
 * its release, even if a script ran twice. A caller that never entered, because its
 * attempt was cancelled, timed out or was interrupted, does not become the owner. Owners
 * in dead JVMs are ignored: their leases will expire.
 */
final class GhostHolderRule implements Rule {

	/** The highest number of tokens of a grant. The store shows the last one. */
	private static final int TOKENS_PER_GRANT = 17;

	private static final Duration RECOVERY = Duration.ofSeconds(1);

	private final Duration bound;

	GhostHolderRule(Duration bound) {
		this.bound = bound;
	}

	@Override
	public List<Violation> check(History history) {
		FaultTimes faultTimes = new FaultTimes(history.faults(), (fault) -> true, RECOVERY);
		Map<String, NavigableMap<Long, Attempt>> entries = new HashMap<>();
		history.attempts()
			.stream()
			.filter(Attempt::isGranted)
			.forEach((attempt) -> entries.computeIfAbsent(attempt.key(), (key) -> new TreeMap<>())
				.put(attempt.token(), attempt));
		Map<String, String> workers = new HashMap<>();
		Map<String, Event> shown = new HashMap<>();
		List<Violation> violations = new ArrayList<>();
		for (Event word : history.events(Kind.STORE)) {
			Event before = shown.put(word.text("key"), word);
			if (before != null) {
				check(before, word.nanos(), entries, workers, faultTimes, history, violations);
			}
		}
		shown.values().forEach((word) -> check(word, history.end(), entries, workers, faultTimes, history, violations));
		return violations;
	}

	private void check(Event word, long until, Map<String, NavigableMap<Long, Attempt>> entries,
			Map<String, String> workers, FaultTimes faultTimes, History history, List<Violation> violations) {
		// Without the number of the ticket.
		String instance = word.text("owner").replaceAll(":[^:]*$", "");
		if (instance.isEmpty() || instance.equals("?")) {
			return;
		}
		long last = word.number("last");
		List<Attempt> inside = List.copyOf(entries.getOrDefault(word.text("key"), new TreeMap<>())
			.subMap(last - TOKENS_PER_GRANT, false, last, true)
			.values());
		inside.forEach((attempt) -> workers.put(instance, attempt.worker()));
		String worker = workers.get(instance);
		if (worker == null || history.death(worker) != Attempt.NEVER) {
			return;
		}
		long since = word.nanos();
		for (Attempt attempt : inside) {
			// NEVER while it has not released.
			since = Math.max(since, attempt.released());
		}
		if (since < until && faultTimes.faultFreeNanos(since, until) > this.bound.toNanos()) {
			violations
				.add(new Violation(
						inside
							.isEmpty() ? "S5" : "S4",
						"The store says for " + (until - since) / 1_000_000 + " ms that " + worker + " owns '"
								+ word.text("key") + "', " + (inside.isEmpty() ? "which it never entered"
										: "which it has released: " + inside.get(inside.size() - 1)),
						List.of(word)));
		}
	}

}
