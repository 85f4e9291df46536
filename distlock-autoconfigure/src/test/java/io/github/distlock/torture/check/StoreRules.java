package io.github.distlock.torture.check;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** What the store says of its owners, and what is left in it. */
record StoreRules(History history, Consumer<Violation> found, FaultTimes faultTimes,
		Map<String, NavigableMap<Long, Attempt>> entries, Map<String, String> workers) {

	private static final Duration RECOVERY = Duration.ofSeconds(1);

	/** How long a holder may remain the owner after its release. */
	private static final Duration BOUND = Duration.ofSeconds(7);

	/** The highest number of tokens of a grant. The store shows the last one. */
	private static final int TOKENS_PER_GRANT = 17;

	/** With the entries by key and token, and the workers by what the store names. */
	private StoreRules(History history, Consumer<Violation> found) {
		this(history, found, new FaultTimes(history, (fault) -> true, RECOVERY), new HashMap<>(), new HashMap<>());
		history.attempts()
			.stream()
			.filter(Attempt::isGranted)
			.forEach((attempt) -> this.entries.computeIfAbsent(attempt.key(), (key) -> new TreeMap<>())
				.put(attempt.token, attempt));
	}

	/**
	 * S4 and S5, as the store sees them. A holder does not remain the owner for long
	 * after its release, even if a script ran twice. A caller that never entered, because
	 * its attempt was cancelled, timed out or was interrupted, does not become the owner.
	 * Owners in dead JVMs are ignored: their leases will expire.
	 */
	static void ghostHolders(History history, Consumer<Violation> found) {
		StoreRules rules = new StoreRules(history, found);
		Map<String, Event> shown = new HashMap<>();
		for (Event word : history.events(Kind.STORE)) {
			Event before = shown.put(word.text("key"), word);
			if (before != null) {
				rules.checkOwner(before, word.nanos());
			}
		}
		shown.values().forEach((word) -> rules.checkOwner(word, history.end()));
	}

	private void checkOwner(Event word, long until) {
		// Without the number of the ticket.
		String instance = word.text("owner").replaceAll(":[^:]*$", "");
		if (instance.isEmpty() || instance.equals("?")) {
			return;
		}
		long last = word.number("last");
		List<Attempt> inside = List.copyOf(this.entries.getOrDefault(word.text("key"), new TreeMap<>())
			.subMap(last - TOKENS_PER_GRANT, false, last, true)
			.values());
		inside.forEach((attempt) -> this.workers.put(instance, attempt.worker()));
		String worker = this.workers.get(instance);
		if (worker == null || this.history.death(worker) != Attempt.NEVER) {
			return;
		}
		// NEVER while one has not released.
		long since = Math.max(word.nanos(),
				inside.stream().mapToLong((attempt) -> attempt.released).max().orElse(word.nanos()));
		if (since < until && this.faultTimes.faultFreeNanos(since, until) > BOUND.toNanos()) {
			this.found
				.accept(new Violation(
						inside
							.isEmpty() ? "S5" : "S4",
						"The store says for " + (until - since) / 1_000_000 + " ms that " + worker + " owns '"
								+ word.text("key") + "', " + (inside.isEmpty() ? "which it never entered"
										: "which it has released: " + inside.get(inside.size() - 1)),
						List.of(word)));
		}
	}

	/**
	 * S7: when all workers have stopped, nothing remains in the store and in the JVMs.
	 */
	static void leftOvers(History history, Consumer<Violation> found) {
		List<Event> leftOver = history.events(Kind.LEFT_OVER);
		if (leftOver.isEmpty()) {
			// The run has not ended.
			return;
		}
		leftOver.stream()
			.filter((event) -> !event.text("names").equals("none"))
			.map((event) -> new Violation("S7", "Keys stay in the store: " + event.text("names"), List.of(event)))
			.forEach(found);
		List<Event> stopped = history.events(Kind.IDLE);
		stopped.stream()
			.filter((event) -> !event.text("idle").equals("true") || event.number("threads") > 0)
			.map((event) -> new Violation("S7",
					event.source() + " was not idle after all workers had stopped: threads " + event.text("threads")
							+ ", watched leases " + event.text("leases") + ", keys " + event.text("keys"),
					List.of(event)))
			.forEach(found);
		Set<String> ended = stopped.stream().map(Event::source).collect(Collectors.toSet());
		history.attempts()
			.stream()
			.map(Attempt::worker)
			.distinct()
			.filter((worker) -> !ended.contains(worker) && history.death(worker) == Attempt.NEVER)
			.forEach((worker) -> found.accept(new Violation("S7", worker + " did not stop", List.of())));
	}

}
