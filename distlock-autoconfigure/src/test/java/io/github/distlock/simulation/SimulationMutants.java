package io.github.distlock.simulation;

import java.util.List;

import io.github.distlock.torture.Mutant;

import static io.github.distlock.torture.Mutant.java;

/**
 * Realistic slips in the engine, which the simulation has to find. The list was fixed
 * before the fault schedule was tuned. Those that the torture test or a review has
 * already come first. The slips of scripts and of stores are not here, since the
 * simulated server has none of these, and neither is the dead owner of a lock without a
 * lease, since its leases end.
 */
final class SimulationMutants {

	private static final String KEY_QUEUE = "waiting/KeyQueue.java";

	/** Without these edits the sweep heals what a mutant breaks. */
	private static final Mutant.Edit NO_COMMAND_IS_LOST = java("waiting/Effects.java",
			"boolean lost = this.ended ? ++this.sweepsAfterEnd > 1 : ++this.sweeps > MOST_SWEEPS;",
			"boolean lost = false;");

	private static final Mutant.Edit NO_SWEEP = java(KEY_QUEUE, "if (this.queuedTicket != null && nothingIsToCome) {",
			"if (false) {");

	/** Without this edit the sweep fires a timer that was not set. */
	private static final Mutant.Edit SWEEP_FIRES_NO_TIMER = java(KEY_QUEUE, "fireTimer(); boolean nothingIsToCome =",
			"boolean nothingIsToCome =");

	/** Without this edit a thread that is not woken looks for its outcome. */
	private static final Mutant.Edit ENDLESS_PARK = java("waiting/BlockingAcquirer.java",
			"Math.min(remaining, LONGEST_PARK_NANOS)", "remaining");

	/** The validity that a grant would have if it came at this moment. */
	private static String asIfGrantedNow(String validity, String clock) {
		return "io.github.distlock.backend.Validity.until(" + clock + ".now(), java.time.Duration.ofNanos(" + validity
				+ ".ttlNanos()))";
	}

	private static final List<Mutant> KNOWN = List.of(
			Mutant.of("renewal after release",
					java("renewal/Lease.java", "if (left > 0 && STATE.compareAndSet(this, HELD, ENDED))",
							"if (left > 0 && STATE.compareAndSet(this, HELD, HELD))"),
					java("registry/HeldLocks.java", "valid = remainingNanos > 0; this.renewer.forget(hold);",
							"valid = remainingNanos > 0;")),
			Mutant.of("validity of a grant counted from its answer",
					java(KEY_QUEUE, "Holder first = queued.toHolder(grant,",
							"Holder first = queued.toHolder(new Grant(grant.firstToken(), grant.lastToken(), "
									+ asIfGrantedNow("grant.validity()", "this.context.settings().clock()") + "),")),
			Mutant.of("validity of a renewal counted from its answer",
					java("renewal/Lease.java", "this.validity = later;",
							"this.validity = " + asIfGrantedNow("later", "clock()") + ";")),
			Mutant.of("waiter without a timer",
					java(KEY_QUEUE, "queued.due |= timer.attemptOrDefer();", "timer.attemptOrDefer();"), NO_SWEEP),
			Mutant.of("hand-off without the deadline check",
					java("waiting/HandOffLimits.java",
							"&& clock.nanoTime() - from.grantedAtNanos() < this.maxTime.toNanos()", ""),
					java("waiting/HandOffLimits.java",
							"&& validity.remainingNanos(clock)"
									+ " >= Math.min(SUFFICIENT_LEASE_NANOS, from.lease().toNanos() / 2)",
							""),
					java(KEY_QUEUE, "Holder following = from.next(validity);", "Holder following = from.next("
							+ asIfGrantedNow("validity", "this.context.settings().clock()") + ");")),
			Mutant.of("error in sending leaves the attempt of its key in flight",
					java("waiting/CommandSender.java", "failure = StoreCalls.unwrap(ex);",
							"failure = StoreCalls.unwrap(ex); if (failure instanceof Error error"
									+ " && command instanceof Command.Attempt) throw error;"),
					NO_COMMAND_IS_LOST));

	private static final List<Mutant> GRANTS = List.of(
			Mutant.of("end of a wait decided outside the lock", java(KEY_QUEUE, """
					return onEventIf(() -> {
						if (waiter.outcome() != null) {
							return false;
						}
						dismiss(waiter,
					""", """
					if (waiter.outcome() != null) {
						return null;
					}
					return onEventIf(() -> {
						dismiss(waiter,
					""")),
			Mutant.of("successor queued without its lease",
					java(KEY_QUEUE, "new Successor(this.queuedTicket.ticket, this.queuedTicket.lease())",
							"new Successor(this.queuedTicket.ticket, Duration.ofMillis(1))")),
			Mutant.of("token repeated in a local hand-off",
					java("waiting/Holder.java", "HandOff.LOCAL, this.fencingToken + 1, this.lastToken",
							"HandOff.LOCAL, this.fencingToken, this.lastToken")),
			Mutant.of("hand-offs beyond the tokens of the grant",
					java("waiting/HandOffLimits.java",
							"from.handOffs() < this.budget && from.fencingToken() < from.lastToken() &&", "")),
			Mutant.of("time for hand-offs ignored",
					java("waiting/HandOffLimits.java",
							"&& clock.nanoTime() - from.grantedAtNanos() < this.maxTime.toNanos()", "")),
			Mutant.of("message for an earlier ticket accepted as the grant of this one",
					java(KEY_QUEUE, "if (queued == null || !queued.ticket.equals(ticket)) {", "if (queued == null) {")),
			Mutant.of("grant for an unknown ticket not released",
					java("waiting/LockAcquirer.java", "this.sender.releaseUnknown(ticket, grant.firstToken());", "")),
			Mutant.of("safety margin left out",
					java("backend/Validity.java", "Long.MAX_VALUE : this.ttlNanos - margin();",
							"Long.MAX_VALUE : this.ttlNanos;")),
			Mutant.of("fair caller shares the ticket of its JVM", java("waiting/WaitRequest.java",
					"return fair || mode == LockMode.READ;", "return mode == LockMode.READ;")));

	private static final List<Mutant> WAITS = List.of(
			Mutant.of("ticket of the last caller that gives up not cancelled",
					java(KEY_QUEUE, "ownReleases().cancel(this.queuedTicket.ticket,"
							+ " this.queuedTicket.attemptUnanswered, this.context.settings().clock().nanoTime());",
							"")),
			Mutant.of("unanswered attempt not cancelled when its caller gives up", java(KEY_QUEUE,
					"if (this.queuedTicket != null && this.pendingReleases.isEmpty() && this.waiters.isEmpty()) {"
							+ " ownReleases().cancel(",
					"if (this.queuedTicket != null && this.pendingReleases.isEmpty() && this.waiters.isEmpty()) {"
							+ " if (!this.queuedTicket.attemptUnanswered) ownReleases().cancel(")),
			Mutant.of("unanswered attempt forgotten when the next one is refused",
					java("waiting/QueuedTicket.java", "return !this.queued && !this.attemptUnanswered;",
							"return !this.queued;")),
			Mutant.of("ticket with an unanswered attempt not cancelled twice",
					java("waiting/PendingReleases.java", "this.stray = removed.ticket;", "")),
			Mutant.of("interrupted caller does not see that it was granted the lock",
					java("waiting/BlockingAcquirer.java", """
							if (!this.waits.giveUp(queue, waiter, false, true)) {
								// Decided just before. Its wake-up may have ended a park on the
								// lock of the queue, and no other wake-up comes.
								continue;
							}
							""", "this.waits.giveUp(queue, waiter, false, true);"), ENDLESS_PARK),
			Mutant.of("second waiter that one event decides not woken",
					java("waiting/LocalQueue.java", "this.decided.add(waiter);", "")),
			Mutant.of("waiters not woken by the release of a thread",
					java("waiting/LockReleaser.java", "this.sender.run(queue, handOff); return", "return"),
					ENDLESS_PARK),
			Mutant.of("cancelled future keeps the lock of its late grant", java("waiting/AsyncAcquisition.java",
					"// Cancelled at the moment of the grant. this.waits.releases().releaseAsync(holder);", "")),
			Mutant.of("cancelled future keeps the lock of its listeners",
					java("registry/LockOperations.java",
							"// The caller cancelled at the moment of the grant. lock.abandon();", "")),
			Mutant.of("refused callback forgotten",
					java("waiting/TaskRunner.java",
							"this.environment.startThread(\"distlock-late-callback\", callback);", "")),
			Mutant.of("timer not set after the ticket was queued",
					java(KEY_QUEUE, "retryTimer().retryAfter(waiting.retryAfter()); if (queued.markQueued(",
							"if (queued.markQueued("),
					NO_SWEEP),
			Mutant.of("earlier timer not set while a later one is",
					java("waiting/RetryTimer.java", "if (!this.scheduled || nanos - this.scheduledForNanos < 0) {",
							"if (!this.scheduled) {"),
					NO_SWEEP, SWEEP_FIRES_NO_TIMER),
			Mutant.of("outage not ended by an answer", java("waiting/RetryTimer.java", "this.outage = null;", "")),
			Mutant.of("fair ticket that has left stays the oldest",
					java("waiting/KeyQueues.java", "public void leftQueue() { this.waiting = false; }",
							"public void leftQueue() { }")),
			Mutant.of("queue of a fair caller never removed",
					java("waiting/KeyQueues.java", "all.byNumber.remove(this.number);", "")));

	private static final List<Mutant> RELEASES = List.of(
			Mutant.of("release forgotten after an error",
					java("waiting/CommandSender.java", "failure = StoreCalls.unwrap(ex);",
							"failure = StoreCalls.unwrap(ex); if (failure instanceof Error error"
									+ " && command instanceof Command.Release) throw error;"),
					NO_COMMAND_IS_LOST),
			Mutant.of("release not repeated after a failure",
					java(KEY_QUEUE, "if (this.context.settings().clock().nanoTime() - pending.giveUpNanos >= 0) {",
							"{")),
			Mutant.of("timer does not resume a failed release",
					java(KEY_QUEUE, "this.pendingReleases.resume(); QueuedTicket queued = this.queuedTicket;",
							"QueuedTicket queued = this.queuedTicket;")),
			Mutant.of("command that the executor refuses forgotten",
					java("waiting/CommandSender.java",
							"if (rejection != null) { end(queue, command, null, rejection, settled); }", ""),
					NO_COMMAND_IS_LOST),
			Mutant.of("loss found by a release in the background not reported",
					java("waiting/CommandSender.java", "observed.gone();", "")),
			Mutant.of("re-entry not counted",
					java("registry/Hold.java", "(open) -> (open > 0) ? open + 1 : 0)", "(open) -> open)")),
			Mutant.of("lock that another thread has closed re-entered",
					java("registry/Hold.java", "(open) -> (open > 0) ? open + 1 : 0) > 0;",
							"(open) -> (open > 0) ? open + 1 : 0) >= 0;")),
			Mutant.of("minimum hold time ignored",
					java("registry/HeldLocks.java", "release(hold, hold.remainingMinHold());",
							"release(hold, Duration.ZERO);")),
			Mutant.of("minimum hold time forgotten at the shutdown",
					java("registry/HeldLocks.java", "this.expiring ? List.of() : leases()", "leases()")),
			Mutant.of("lease does not cover the minimum hold time", java("registry/RequestTerms.java",
					"LeaseTerms.covering(storeLease, (minHold != null) ? minHold : Duration.ZERO);", "storeLease;")),
			Mutant.of("grant that an operator has ended handed off",
					java("registry/HeldLocks.java",
							"// Otherwise the next caller of this JVM would enter under the ended"
									+ " grant. hold.lose(LossCause.RELEASED_BY_OPERATOR);",
							"")),
			Mutant.of("lock that cannot be watched not released",
					java("registry/HeldLocks.java", "this.acquirer.releases().releaseAsync(holder); throw ex;",
							"throw ex;")),
			Mutant.of("shutdown leaves its waiters waiting",
					java("waiting/LockAcquirer.java",
							"this.queues.forEach((queue) -> queue.failWaiters(shutDownException(queue.key())));", "")),
			Mutant.of("caller that joins during the shutdown not failed",
					java("waiting/LockAcquirer.java",
							"if (this.closed) { // close() may have failed the waiters before",
							"if (false) { // close() may have failed the waiters before")));

	private static final List<Mutant> LEASES = List.of(
			Mutant.of("loss of an expired lease reported twice",
					java("renewal/Lease.java",
							"found != null && STATE.compareAndSet(this, now, new LeaseState(Phase.LOST, found))) {",
							"found != null) {")),
			Mutant.of("expired lease held again after a late answer", java("renewal/Lease.java",
					"STATE.compareAndSet(this, HELD, new LeaseState(Phase.EXPIRED, causeOfExpiry())); return 0;",
					"return 0;"),
					java("renewal/Lease.java", "if (!checkExpired() && later.remainingNanos",
							"if (later.remainingNanos")),
			Mutant.of("lease not renewed again after a failure",
					java("renewal/Lease.java", "MINIMUM_RETRY_NANOS); this.renewing = false; return risk;",
							"MINIMUM_RETRY_NANOS); return risk;")),
			Mutant.of("renewals that the executor refuses forgotten",
					java("renewal/LeaseRenewer.java", "this.warnings.failed(ex, batch); fail(batch);",
							"this.warnings.failed(ex, batch);")),
			Mutant.of("watchdog set for the first lease only",
					java("renewal/LeaseRenewer.java",
							"this.timer.scheduleWithin(lease.untilFirstEvent(), lease.startNanos());",
							"if (this.leases.size() == 1) { this.timer.scheduleWithin(lease.untilFirstEvent(),"
									+ " lease.startNanos()); }")),
			Mutant.of("flag of the watchdog's timer cleared after the scan",
					java("renewal/RenewalTimer.java", "this.armed.set(null); this.scan.run();",
							"this.scan.run(); this.armed.set(null);")),
			Mutant.of("take-over reported as a forgotten lock",
					java("renewal/Lease.java", "if (answer.takenOver()) { return LossCause.TAKEN_OVER; }", "")),
			Mutant.of("silence of the store reported as a suspended process",
					java("renewal/Lease.java",
							"(this.renewing || retrying()) ? LossCause.STORE_SILENT : LossCause.PROCESS_SUSPENDED",
							"this.renewing ? LossCause.STORE_SILENT : LossCause.PROCESS_SUSPENDED")),
			Mutant.of("lost lock stays with its holder", java("registry/HeldLocks.java", """
					this.renewer.forget(hold);
					this.acquirer.releases().releaseAsync(hold.holder(), hold.validity());
					""", "this.renewer.forget(hold);")));

	private static final List<Mutant> LIMITS = List.of(
			Mutant.of("one caller too many waits",
					java("waiting/WaiterCounts.java", "before < waiter.request().maxWaiting()",
							"before <= waiter.request().maxWaiting()")),
			Mutant.of("each queue of a key counts its own waiters",
					java("waiting/KeyQueues.java",
							"this.queue = new KeyQueue(key, KeyQueues.this.environment.newLock(), this); }",
							"this.queue = new KeyQueue(key, KeyQueues.this.environment.newLock(), this); }"
									+ " private final WaiterCounts mine = new WaiterCounts();"
									+ " @Override public KeySettings settings() { KeySettings all = super.settings();"
									+ " return new KeySettings(all.clock(), all.random(), all.handOffLimits(),"
									+ " all.backendTimeout(), all.commandTimeout(), this.mine); }")),
			Mutant.of("caller not counted after its first attempt",
					java(KEY_QUEUE, "queued.due = true; } firstAttemptIsOver();", "queued.due = true; }")),
			Mutant.of("caller that gives up stays counted",
					java("waiting/LocalQueue.java", "waiter.counts.remove(waiter);",
							"if (!(outcome instanceof Outcome.GaveUp)) waiter.counts.remove(waiter);")));

	static final List<Mutant> ALL = List.of(KNOWN, GRANTS, WAITS, RELEASES, LEASES, LIMITS)
		.stream()
		.flatMap(List::stream)
		.toList();

	private SimulationMutants() {
	}

}
