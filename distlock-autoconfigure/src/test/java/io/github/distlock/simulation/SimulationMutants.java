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

	private static final String KEY_STATE = "engine/KeyState.java";

	/** Without these edits the sweep heals what a mutant breaks. */
	private static final Mutant.Edit NO_COMMAND_IS_LOST = java("engine/Effects.java",
			"boolean lost = this.ended ? ++this.sweepsAfterEnd > 1 : ++this.sweeps > MOST_SWEEPS;",
			"boolean lost = false;");

	private static final Mutant.Edit NO_SWEEP = java(KEY_STATE,
			"if (nothingIsToCome && this.live instanceof QueuedTicket queued) {",
			"if (false && this.live instanceof QueuedTicket queued) {");

	/** Without this edit the sweep fires a timer that was not set. */
	private static final Mutant.Edit SWEEP_FIRES_NO_TIMER = java(KEY_STATE, "fireTimer(); boolean nothingIsToCome =",
			"boolean nothingIsToCome =");

	/** Without this edit a thread that is not woken looks for its outcome. */
	private static final Mutant.Edit ENDLESS_PARK = java("registry/LockAcquirer.java",
			"Math.min(remaining, LONGEST_PARK_NANOS)", "remaining");

	/** Without this edit the sweep releases a lock that has expired or was lost. */
	private static final Mutant.Edit SWEEP_RELEASES_NOTHING = java("engine/Hold.java",
			"return this.state.phase() == HoldPhase.LEFT || this.state.phase() == HoldPhase.LOST;", "return false;");

	/** The validity that a grant would have if it came at this moment. */
	private static String asIfGrantedNow(String validity, String clock) {
		return "io.github.distlock.backend.Validity.until(" + clock + ".now(), java.time.Duration.ofNanos(" + validity
				+ ".ttlNanos()))";
	}

	private static final List<Mutant> KNOWN = List.of(
			Mutant.of("renewal after release",
					java("engine/Hold.java", "if (STATE.compareAndSet(this, now, now.ended())) {",
							"if (STATE.compareAndSet(this, now, now)) {"),
					java("engine/HeldLocks.java", "valid = leftNanos > 0; this.renewer.forget(hold);",
							"valid = leftNanos > 0;")),
			Mutant.of("validity of a grant counted from its answer",
					java(KEY_STATE, ".newHold(queued, grant);",
							".newHold(queued, new Grant(grant.firstToken(), grant.lastToken(), "
									+ asIfGrantedNow("grant.validity()", "this.context.settings().clock()") + "));")),
			Mutant.of("validity of a renewal counted from its answer",
					java("engine/LeaseRenewal.java", "this.validity = later;",
							"this.validity = " + asIfGrantedNow("later", "clock()") + ";")),
			Mutant.of("waiter without a timer",
					java(KEY_STATE, "queued.due |= timer.attemptOrDefer();", "timer.attemptOrDefer();"), NO_SWEEP),
			Mutant.of("hand-off without the deadline check",
					java("engine/HandOffLimits.java", "&& clock.nanoTime() - turnNanos < this.maxTime.toNanos()", ""),
					java("engine/HandOffLimits.java",
							"&& from.validity().remainingNanos(clock)"
									+ " >= Math.min(SUFFICIENT_LEASE_NANOS, from.lease.toNanos() / 2)",
							""),
					java("engine/Hold.java", "this.lastToken, validity())",
							"this.lastToken, " + asIfGrantedNow("validity()", "this.context.clock()") + ")")),
			Mutant.of("error in sending leaves the attempt of its key in flight",
					java("engine/CommandSender.java", "failure = StoreCalls.unwrap(ex);",
							"failure = StoreCalls.unwrap(ex); if (failure instanceof Error error"
									+ " && command instanceof Command.Attempt) throw error;"),
					NO_COMMAND_IS_LOST));

	private static final List<Mutant> GRANTS = List.of(
			Mutant.of("end of a wait decided outside the lock", java(KEY_STATE, """
					return onEventIf(() -> {
						if (waiter.outcome() != null) {
							return false;
						}
						LockBackendException failure = failure();
					""", """
					if (waiter.outcome() != null) {
						return null;
					}
					return onEventIf(() -> {
						LockBackendException failure = failure();
					""")),
			Mutant.of("successor queued without its lease",
					java(KEY_STATE, "new Successor(queued.ticket, queued.lease)",
							"new Successor(queued.ticket, Duration.ofMillis(1))")),
			Mutant.of("token repeated in a local hand-off",
					java("engine/Hold.java", "earlier.handOffs + 1", "earlier.handOffs")),
			Mutant.of("hand-offs beyond the tokens of the grant",
					java("engine/HandOffLimits.java",
							"from.handOffs < this.budget && from.fencingToken() < from.lastToken &&", "")),
			Mutant.of("time for hand-offs ignored",
					java("engine/HandOffLimits.java", "&& clock.nanoTime() - turnNanos < this.maxTime.toNanos()", "")),
			Mutant.of("message for an earlier ticket accepted as the grant of this one",
					java(KEY_STATE, "QueuedTicket queued = queued(ticket); if (queued == null) {",
							"QueuedTicket queued = (this.live instanceof QueuedTicket waits) ? waits : null;"
									+ " if (queued == null) {")),
			Mutant.of("grant for an unknown ticket not released",
					java("engine/KeyTable.java", "this.sender.releaseUnknown(ticket, grant.firstToken());", "")),
			Mutant.of("safety margin left out",
					java("backend/Validity.java", "Long.MAX_VALUE : this.ttlNanos - margin();",
							"Long.MAX_VALUE : this.ttlNanos;")),
			Mutant.of("fair caller shares the ticket of its JVM",
					java("engine/Waiter.java", "return request.fair() || request.mode() == LockMode.READ;",
							"return request.mode() == LockMode.READ;")));

	private static final List<Mutant> WAITS = List.of(
			Mutant.of("ticket of the last caller that gives up not cancelled",
					java(KEY_STATE, "ownReleases().cancel(unwanted, this.context.settings().clock().nanoTime());", "")),
			Mutant.of("unanswered attempt not cancelled when its caller gives up",
					java(KEY_STATE, "ownReleases().cancel(", "if (!unwanted.attemptUnanswered) ownReleases().cancel(")),
			Mutant.of("unanswered attempt forgotten when the next one is refused",
					java("engine/QueuedTicket.java", "return !this.queued && !this.attemptUnanswered;",
							"return !this.queued;")),
			Mutant.of("ticket with an unanswered attempt not cancelled twice",
					java("engine/PendingReleases.java", "this.stray = removed.ticket;", "")),
			Mutant.of("interrupted caller does not see that it was granted the lock",
					java("registry/LockAcquirer.java", "boolean interrupted = false;",
							"boolean interrupted = false; boolean gaveUp = false;"),
					java("registry/LockAcquirer.java", "interrupted = !this.keys.giveUp(state, waiter, false);",
							"this.keys.giveUp(state, waiter, false); interrupted = false; gaveUp = true;"),
					java("registry/LockAcquirer.java", "if (waiter.outcome() instanceof WaitOutcome.GaveUp) {",
							"if (gaveUp) {"),
					ENDLESS_PARK),
			Mutant.of("second waiter that one event decides not woken",
					java("engine/WaiterQueue.java", "this.decided.add(waiter);", "")),
			Mutant.of("waiters not woken by the release of a thread",
					java("engine/KeyTable.java", "this.sender.send(state, handOff); return", "return"), ENDLESS_PARK),
			Mutant.of("cancelled future keeps the lock of its late grant",
					java("registry/AsyncAcquisition.java",
							"// Cancelled at the moment of the grant. this.keys.releaseAsync(granted);", "")),
			Mutant.of("cancelled future keeps the lock of its listeners",
					java("registry/AsyncAcquisition.java", "lock.abandon();", "")),
			Mutant.of("refused callback forgotten",
					java("engine/TaskRunner.java",
							"this.environment.startThread(\"distlock-late-callback\", callback);", "")),
			Mutant.of("timer not set after the ticket was queued",
					java(KEY_STATE, "retryTimer().retryAfter(waiting.retryAfter()); if (queued.markQueued(",
							"if (queued.markQueued("),
					NO_SWEEP),
			Mutant.of("earlier timer not set while a later one is", java("engine/RetryTimer.java",
					"if (!this.scheduled || this.atNanos - this.scheduledForNanos < 0) {", "if (!this.scheduled) {"),
					NO_SWEEP, SWEEP_FIRES_NO_TIMER),
			Mutant.of("outage not ended by an answer", java("engine/RetryTimer.java", "this.outage = null;", "")),
			Mutant.of("fair ticket that has left stays the oldest",
					java("engine/KeyTable.java", "public void leftQueue() { this.waiting = false; }",
							"public void leftQueue() { }")),
			Mutant.of("state of a fair caller never removed",
					java("engine/KeyTable.java", "all.byNumber.remove(this.number);", "")));

	private static final List<Mutant> RELEASES = List.of(
			Mutant.of("release forgotten after an error",
					java("engine/CommandSender.java", "failure = StoreCalls.unwrap(ex);",
							"failure = StoreCalls.unwrap(ex); if (failure instanceof Error error"
									+ " && command instanceof Command.Release) throw error;"),
					NO_COMMAND_IS_LOST),
			Mutant.of("release not repeated after a failure",
					java(KEY_STATE, "if (this.context.settings().clock().nanoTime() - pending.giveUpNanos >= 0) {",
							"{")),
			Mutant.of("timer does not resume a failed release", java(KEY_STATE, "this.pendingReleases.resume();", "")),
			Mutant.of("command that the executor refuses forgotten",
					java("engine/BackgroundCommands.java", "if (rejection != null) { end.accept(null, rejection); }",
							""),
					NO_COMMAND_IS_LOST),
			Mutant.of("loss found by a release in the background not reported",
					java("engine/CommandSender.java", "hold.context().answered(hold, outcome);", "")),
			Mutant.of("re-entry not counted",
					java("engine/Hold.java", "(open) -> ((int) open > 0) ? open + more : open)", "(open) -> open)")),
			Mutant.of("lock that another thread has closed re-entered",
					java("engine/Hold.java", "(open) -> ((int) open > 0) ? open + more : open) > 0;",
							"(open) -> ((int) open > 0) ? open + more : open) >= 0;")),
			Mutant.of("minimum hold time ignored",
					java("engine/HeldLocks.java", "release(hold, ofView, hold.renewal.remainingMinHold());",
							"release(hold, ofView, Duration.ZERO);")),
			Mutant.of("minimum hold time forgotten at the shutdown",
					java("engine/HeldLocks.java", "this.backend.expires() ? List.of() : retained()", "retained()")),
			Mutant.of("lease does not cover the minimum hold time", java("registry/RequestTerms.java",
					"LeaseTerms.covering(storeLease, (minHold != null) ? minHold : Duration.ZERO);", "storeLease;")),
			Mutant.of("grant that an operator has ended handed off",
					java("engine/HeldLocks.java",
							"// Otherwise the next caller of this JVM would enter under the ended"
									+ " // grant. hold.lose(LossCause.RELEASED_BY_OPERATOR);",
							"")),
			Mutant.of("lock that cannot be watched not released",
					java("engine/HeldLocks.java",
							"catch (RuntimeException | Error ex) { forgetOfThisThread(hold); drop(hold); throw ex;",
							"catch (RuntimeException | Error ex) { throw ex;"),
					SWEEP_RELEASES_NOTHING),
			Mutant.of("shutdown leaves its waiters waiting",
					java("engine/KeyTable.java",
							"all().forEach((state) -> this.sender.onEvent(state,"
									+ " () -> state.failWaiters(shutDownException(state.key()))));",
							"")),
			Mutant.of("caller that joins during the shutdown not failed",
					java("engine/KeyTable.java", "if (this.closed) { // close() may have failed the waiters before",
							"if (false) { // close() may have failed the waiters before")));

	private static final List<Mutant> LEASES = List.of(
			Mutant.of("loss of an expired lease reported twice",
					java("engine/Hold.java", "case EXPIRED -> new HoldState(HoldPhase.LOST, this.cause, List.of());",
							"case EXPIRED -> this;")),
			Mutant.of("expired lease held again after a late answer",
					java("engine/Hold.java", "STATE.getAndUpdate(this, (now) -> now.expired(cause)); return 0;",
							"return 0;"),
					java("engine/LeaseRenewal.java", "if (!this.hold.checkExpired() && later.remainingNanos",
							"if (later.remainingNanos")),
			Mutant.of("lease not renewed again after a failure",
					java("engine/LeaseRenewal.java", "this.asked = null; return risk;", "return risk;")),
			Mutant.of("renewals that the executor refuses forgotten",
					java("engine/LeaseRenewer.java", "this.warnings.failed(ex, batch); fail(batch);",
							"this.warnings.failed(ex, batch);")),
			Mutant.of("watchdog set for the first lease only",
					java("engine/LeaseRenewer.java",
							"this.timer.scheduleWithin(hold.renewal.untilFirstEvent(), hold.renewal.startNanos);",
							"if (this.holds.size() == 1) { this.timer.scheduleWithin(hold.renewal.untilFirstEvent(),"
									+ " hold.renewal.startNanos); }")),
			Mutant.of("flag of the watchdog's timer cleared after the scan",
					java("engine/RenewalTimer.java", "this.armed.set(null); if (!this.stopped) { this.scan.run(); }",
							"if (!this.stopped) { this.scan.run(); } this.armed.set(null);")),
			Mutant.of("take-over reported as a forgotten lock",
					java("engine/Hold.java",
							"if (evidence == LossEvidence.TAKEN_OVER) { return LossCause.TAKEN_OVER; }", "")),
			Mutant.of("silence of the store reported as a suspended process",
					java("engine/Hold.java", "|| this.renewal.isUnanswered();", "|| this.renewal.isUnderWay();")),
			Mutant.of("lost lock stays with its holder", java("engine/HeldLocks.java", "try { drop(hold); } finally {",
					"try { this.renewer.forget(hold); } finally {"), SWEEP_RELEASES_NOTHING));

	private static final List<Mutant> LIMITS = List.of(
			Mutant.of("one caller too many waits",
					java("engine/WaiterCounts.java", "before < waiter.maxWaiting", "before <= waiter.maxWaiting")),
			Mutant.of("each state of a key counts its own waiters",
					java("engine/KeyTable.java",
							"this.state = new KeyState(key, KeyTable.this.locks.newLock(), this); }",
							"this.state = new KeyState(key, KeyTable.this.locks.newLock(), this); }"
									+ " private final WaiterCounts mine = new WaiterCounts();"
									+ " @Override public KeySettings settings() { KeySettings all = super.settings();"
									+ " return new KeySettings(all.clock(), all.random(), all.handOffLimits(),"
									+ " all.backendTimeout(), all.commandTimeout(), this.mine); }")),
			Mutant.of("caller not counted after its first attempt",
					java(KEY_STATE, "queued.due = true; } firstAttemptIsOver();", "queued.due = true; }")),
			Mutant.of("caller that gives up stays counted",
					java("engine/WaiterQueue.java", "waiter.counts.remove(waiter);",
							"if (!(outcome instanceof WaitOutcome.GaveUp)) waiter.counts.remove(waiter);")));

	static final List<Mutant> ALL = List.of(KNOWN, GRANTS, WAITS, RELEASES, LEASES, LIMITS)
		.stream()
		.flatMap(List::stream)
		.toList();

	private SimulationMutants() {
	}

}
