package io.github.distlock.torture;

import java.util.List;
import java.util.stream.Stream;

import static io.github.distlock.torture.Mutant.java;
import static io.github.distlock.torture.Mutant.lua;

/**
 * All mutants of the library, each with the net that has to find it: the simulation, the
 * torture test, or one test. Each is a realistic slip, or a fault that the library once
 * had.
 */
public final class Mutants {

	private static final String KEY_STATE = "engine/KeyState.java";

	/** Without these edits the sweep heals what a mutant breaks. */
	private static final Mutant.Edit NO_COMMAND_IS_LOST = java("engine/Effects.java",
			"boolean lost = (this.phase > SENT) ? ++this.sweepsAfterEnd > 1 : ++this.sweeps > MOST_SWEEPS;",
			"boolean lost = false;");

	private static final Mutant.Edit NO_SWEEP = java(KEY_STATE,
			"if (nothingIsToCome && this.live instanceof QueuedTicket queued) {",
			"if (false && this.live instanceof QueuedTicket queued) {");

	/** Without this edit a thread that is not woken looks for its outcome. */
	private static final Mutant.Edit ENDLESS_PARK = java("registry/LockAcquirer.java",
			"Math.min(remaining, LONGEST_PARK_NANOS)", "remaining");

	/** Without this edit the sweep releases a lock that has expired or was lost. */
	private static final Mutant.Edit SWEEP_RELEASES_NOTHING = java("engine/Hold.java",
			"return this.state.phase() == HoldPhase.LEFT || this.state.phase() == HoldPhase.LOST;", "return false;");

	/** Found by the simulation and by the torture test; the former runs no scripts. */
	private static final Mutant LATE_RENEWAL = Mutant.of("renewal after release", lua("renew.lua", """
			  if value and string.sub(value, 2) == ARGV[i * 2 - 1] then
			    answers[i] = 1
			""", """
			  if not value or string.byte(value) == TOMBSTONE or string.sub(value, 2) == ARGV[i * 2 - 1] then
			    redis.call('SET', KEYS[i], '+' .. ARGV[i * 2 - 1], 'PX', ARGV[i * 2])
			    answers[i] = 1
			"""), java("engine/Hold.java", "HoldState.update(this, HoldState::ended).phase()", "this.state.phase()"),
			java("engine/HeldLocks.java", "this.renewer.forget(hold); if (!releaseInStore", "if (!releaseInStore"));

	/** Found by both. */
	private static final Mutant NO_TIMER = Mutant.of("waiter without a timer",
			java(KEY_STATE, "queued.due |= timer.attemptOrDefer();", "timer.attemptOrDefer();"), NO_SWEEP);

	/** Found by both. */
	private static final Mutant LATE_HAND_OFF = Mutant.of("hand-off without the deadline check",
			java("engine/HandOffLimits.java", "&& clock.nanoTime() - turnNanos < this.maxTime.toNanos()", ""),
			java("engine/HandOffLimits.java",
					"&& from.validity().remainingNanos(clock)"
							+ " >= Math.min(SUFFICIENT_LEASE_NANOS, from.lease.toNanos() / 2)",
					""),
			java("engine/Hold.java", "this.lastToken, validity())",
					"this.lastToken, " + asIfGrantedNow("validity()", "this.context.clock()") + ")"));

	/** The validity that a grant would have if it came at this moment. */
	private static String asIfGrantedNow(String validity, String clock) {
		return "io.github.distlock.backend.Validity.until(" + clock + ".now(), java.time.Duration.ofNanos(" + validity
				+ ".ttlNanos()))";
	}

	private static final List<Mutant> GENERAL = List
		.of(LATE_RENEWAL,
				Mutant.of("validity of a grant counted from its answer", java(KEY_STATE, ".newHold(queued, grant);",
						".newHold(queued, new Grant(grant.firstToken(), grant.lastToken(), "
								+ asIfGrantedNow("grant.validity()", "this.context.settings().clock()") + "));")),
				Mutant.of("validity of a renewal counted from its answer",
						java("engine/HoldLease.java", "this.validity = longer ? later",
								"this.validity = longer ? " + asIfGrantedNow("later", "clock()"))),
				NO_TIMER, LATE_HAND_OFF,
				Mutant
					.of("error in sending leaves the attempt of its key in flight",
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
					java("engine/KeyTable.java", "this.sender.send(state, effects); return HANDED_OFF;",
							"return HANDED_OFF;"),
					ENDLESS_PARK),
			Mutant.of("cancelled future keeps the lock of its late grant",
					java("registry/AsyncAcquisition.java",
							"// Cancelled at the moment of the grant. this.keys.releaseAsync(granted);", "")),
			Mutant.of("cancelled future keeps the lock of its listeners",
					java("registry/AsyncAcquisition.java", "lock.abandon();", "")),
			Mutant.of("refused callback forgotten",
					java("engine/TaskRunner.java", "this.environment.startThread(\"distlock-late-callback\", once);",
							"")),
			Mutant.of("timer not set after the ticket was queued",
					java(KEY_STATE, "retryTimer().retryAfter(waiting.retryAfter()); if (queued.markQueued(",
							"if (queued.markQueued(")),
			Mutant.of("earlier timer not set while a later one is", java("engine/RetryTimer.java",
					"if (!this.scheduled || this.atNanos - this.scheduledForNanos < 0) {", "if (!this.scheduled) {")),
			Mutant.of("timer that fires too early not set again",
					java("engine/RetryTimer.java", "if (!this.scheduled) { schedule(); } return false;",
							"return false;")),
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
					java("engine/CommandSender.java", "if (release != null && !late) {", "if (false) {")),
			Mutant.of("re-entry not counted",
					java("engine/Hold.java", "(open) -> ((int) open > 0) ? open + more : open)", "(open) -> open)")),
			Mutant.of("lock that another thread has closed re-entered",
					java("engine/Hold.java", "(open) -> ((int) open > 0) ? open + more : open) > 0;",
							"(open) -> ((int) open > 0) ? open + more : open) >= 0;")),
			Mutant.of("minimum hold time ignored",
					java("engine/HeldLocks.java", "release(hold, last, hold.holdLease.remainingMinHold(), closed);",
							"release(hold, last, Duration.ZERO, closed);")),
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

	private static final List<Mutant> LEASES = List.of(Mutant.of("loss of an expired lease reported twice",
			java("engine/Hold.java", "return this.phase.isOpen() ? new HoldState(HoldPhase.LOST,",
					"return (this.phase.isOpen() && this.phase != HoldPhase.EXPIRED) ? new HoldState(HoldPhase.LOST,")),
			Mutant.of("expired lease held again after a late answer",
					java("engine/Hold.java", "HoldState.update(this, (now) -> now.expired(cause)); return 0;",
							"return 0;"),
					java("engine/HoldLease.java", "if (!this.hold.checkExpired() && (longer", "if ((longer")),
			Mutant.of("lease not renewed again after a failure",
					java("engine/HoldLease.java",
							"this.dueNanos = clock().nanoTime() + MAXIMUM_RETRY_NANOS; this.asked = FAILED;",
							"this.dueNanos = clock().nanoTime() + MAXIMUM_RETRY_NANOS;")),
			Mutant.of("renewals that the executor refuses forgotten",
					java("engine/RenewalQueue.java",
							"if (error != null && this.sent.containsKey(batch)) { this.failed.accept(batch.leases());",
							"if (error != null && this.sent.containsKey(batch)) {")),
			Mutant.of("watchdog set for the first lease only",
					java("engine/LeaseRenewer.java",
							"this.timer.scheduleWithin(hold.holdLease.untilFirstEvent(), hold.holdLease.startNanos);",
							"if (this.holds.size() == 1) { this.timer.scheduleWithin(hold.holdLease.untilFirstEvent(),"
									+ " hold.holdLease.startNanos); }")),
			Mutant.of("plan of the watchdog overwritten after the scan",
					java("engine/RenewalTimer.java", "this.planned.compareAndSet(far, now + SWEEP_NANOS);",
							"this.planned.set(now + SWEEP_NANOS);")),
			Mutant.of("take-over reported as a forgotten lock",
					java("engine/Hold.java",
							"if (evidence == LossEvidence.TAKEN_OVER) { return LossCause.TAKEN_OVER; }", "")),
			Mutant.of("silence of the store reported as a suspended process",
					java("engine/Hold.java", "|| this.holdLease.isUnanswered();", "|| this.holdLease.isUnderWay();")),
			Mutant.of("lost lock stays with its holder",
					java("engine/Hold.java", "this.context.drop(this); } return open;", "} return open;"),
					SWEEP_RELEASES_NOTHING));

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
									+ " all.backendTimeout(), all.commandTimeout(), this.mine, all.invariants()); }")),
			Mutant.of("caller not counted after its first attempt",
					java(KEY_STATE, "queued.due = true; } firstAttemptIsOver();", "queued.due = true; }")),
			Mutant.of("caller that gives up stays counted",
					java("engine/WaiterQueue.java", "waiter.counts.remove(waiter);",
							"if (!(outcome instanceof WaitOutcome.GaveUp)) waiter.counts.remove(waiter);")));

	/** Slips that break what a call that has returned promises, or what it costs. */
	private static final List<Mutant> PROMISES = List.of(
			Mutant.of("close returns before its release was answered",
					java("engine/HeldLocks.java",
							"boolean awaited = closed == null && (!this.inBackground || hold.holdLease.hasMinHold()"
									+ " || !this.keys.mayReleaseInBackground(hold));",
							"boolean awaited = false;")),
			Mutant.of("release that the store refuses taken for a release",
					java("engine/HeldLocks.java",
							"if (awaited && outcome == ReleaseOutcome.GONE) { throw lostBeforeRelease(hold); }", "")),
			Mutant.of("thread that gives up does not wait for its cancel",
					java("engine/KeyTable.java",
							"if (here && waiter.isDeparting() && effects.command() instanceof Command.Release) {",
							"if (false) {"),
					java("registry/LockAcquirer.java",
							"waiter.isDeparting() ? this.environment.clock().nanoTime()"
									+ " + this.keys.commandTimeoutNanos() : 0;",
							"this.environment.clock().nanoTime();")),
			Mutant.of("loss that a scan finds not reported",
					java("engine/LeaseRenewer.java", "boolean over = hold.checkExpired();",
							"boolean over = !hold.isValid();")),
			Mutant.of("risk not reported",
					java("engine/HoldLease.java", "this.hold.context().atRisk(this.hold, reported);", "")),
			Mutant.of("risk not ended by a release",
					java("engine/Hold.java", "this.holdLease.endRisk(); return left;", "return left;")),
			Mutant.of("suspended machine not detected",
					java("backend/Validity.java",
							"return suspended(wallMillis, nowNanos) ? 0 : remainingNanosAt(nowNanos);",
							"return remainingNanosAt(nowNanos);")),
			Mutant.of("suspended machine detected with the next renewal",
					java("engine/RenewalTimer.java", "if ((suspended || this.planned.get() - now <= 0)",
							"if ((this.planned.get() - now <= 0)")),
			Mutant.of("refused batch sent again as it was",
					java("engine/LeaseRenewer.java", ".forEach((i) -> send(List.of(batch.leases().get(i))));",
							".count();")),
			Mutant.of("each lease renewed at once", java("engine/HoldLease.java", "boolean endsTooSoon = hasMinHold()"
					+ " && granted.remainingNanos(clock()) < this.terms.remainingMinHold(Duration.ZERO).toNanos();",
					"boolean endsTooSoon = true;")),
			Mutant.of("waiting ticket asks again and again",
					java("engine/RetryTimer.java", "this.intervalNanos = interval.toNanos();",
							"this.intervalNanos = Math.min(interval.toNanos(), 20_000_000);")),
			Mutant.of("hand-off inside the JVM with a command",
					java(KEY_STATE, "Hold following = this.waiters.first().newHold(from, from.currentGrant());",
							"ownReleases().cancel(newTicket(this.waiters.first()),"
									+ " this.context.settings().clock().nanoTime());"
									+ " Hold following = this.waiters.first().newHold(from, from.currentGrant());")));

	/**
	 * Slips in the engine, for the simulation. The list was fixed before the fault
	 * schedule was tuned. Slips of scripts and of stores are not in it, since the
	 * simulated server has none of these, and neither is the dead owner of a lock without
	 * a lease, since its leases end.
	 */
	public static final List<Mutant> SIMULATION = Stream.of(GENERAL, GRANTS, WAITS, RELEASES, LEASES, LIMITS, PROMISES)
		.flatMap(List::stream)
		.toList();

	private static final String OWNER_CHECK_OF_RELEASE = """
			if not value or kind ~= READERS and string.sub(value, 2, #token + 2) ~= token .. '|' then
			  return 'gone'
			end
			""";

	private static final String NO_OWNER_CHECK = """
			if not value then
			  return 'gone'
			end
			""";

	private static final String RELEASE_COMMAND = "CompletionStage<ReleaseResult> sent = send(ticket, lastToken, next);";

	/** Check the owner in one command and act on the result in the next. */
	private static final String ASK_FIRST = """
			CompletionStage<ReleaseResult> sent = this.connections.send("release", ticket.key(),
					(commands) -> ask(commands,
							new org.springframework.data.redis.core.script.DefaultRedisScript<>(
									"local w = redis.call('GET', KEYS[1])"
											+ " return (w and string.find(w, ARGV[1] .. '|', 2, true) == 2 and 'ok' or 'gone') .. ARGV[2]",
									String.class),
							ticket, (reply) -> reply.kind().equals("ok"), ticket.token()))
				.thenCompose((mine) -> mine ? send(ticket, lastToken, next)
						: CompletableFuture.completedFuture(new ReleaseResult(false, null)));
			""";

	private static final String EXPIRE_THEN_GRANTED = """
						case Reply.GRANTED -> {
							commands.run(
									new org.springframework.data.redis.core.script.DefaultRedisScript<>(
											"return redis.call('PEXPIRE', KEYS[1], ARGV[1]) .. ARGV[2]", String.class),
									this.keys.of(ticket), millis(lease));
							yield granted(ticket, reply, sent, lease);
						}
			""";

	private static final String READ_TOMBSTONE = """
			return commands.execute("GET", RedisCommands.bytes(this.keys.lock(ticket.key())))
				.thenCompose((found) -> replace(commands, ticket.key(),
						(found != null && found.startsWith("|")) ? found : "|" + value.token, held(ticket, first), lease))
				.thenApply((taken) -> {
			""";

	private static final String REPLACEMENT = "RedisCommands.bytes("
			+ "this.keys.lock(key), value, \"IFEQ\", expected, \"PX\", millis, \"GET\")";

	/**
	 * Common faults of distributed locks, for the torture test.
	 */
	static final List<Hunt> HUNTS = List.of(
			Hunt.of(Mutant.of("release without owner check",
					lua("release.lua", OWNER_CHECK_OF_RELEASE, NO_OWNER_CHECK)))
				.slow(),
			Hunt.of(Mutant.of("get and delete not atomic", lua("release.lua", OWNER_CHECK_OF_RELEASE, NO_OWNER_CHECK),
					java("backend/redis/RedisLockStore.java", RELEASE_COMMAND, ASK_FIRST)))
				.slow(),
			Hunt.of(Mutant.of("lock and expiry in two commands",
					lua("attempt.lua", "if redis.pcall('PSETEX', lockKey, lease, owned).err then",
							"if redis.pcall('SET', lockKey, owned).err then"),
					java("backend/redis/RedisLockStore.java",
							"case Reply.GRANTED -> granted(ticket, reply, sent, lease);", EXPIRE_THEN_GRANTED)))
				.killingCallers(),
			Hunt.of(Mutant.of("renewal without owner check",
					lua("renew.lua", "if value and string.sub(value, 2) == ARGV[i * 2 - 1] then", "if value then"),
					// A missing owner check does harm only if a renewal can shorten a
					// lease.
					lua("renew.lua", "if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[i * 2]) then", "if true then")))
				.lateRenewals(),
			Hunt.of(LATE_RENEWAL).spread(),
			Hunt.of(Mutant.of("validity counted from the reply",
					java("backend/redis/RedisLockStore.java",
							"case Reply.GRANTED -> granted(ticket, reply, sent, lease);",
							"case Reply.GRANTED -> granted(ticket, reply, this.clock.now(), lease);")))
				.slow(),
			Hunt.of(Mutant.of("token not raised on take-over", lua("attempt.lua", "local owned = '-' .. token", """
					if value then
					  now = string.sub(value, 2)
					end
					local owned = '-' .. token"""),
					lua("values.lua", "return math.max(last + 1, nowMicros)", "return math.max(last, 1)"))),
			Hunt.of(NO_TIMER).patient(),
			Hunt.of(Mutant.of("no compensating release", java("backend/redis/RedisLockStore.java",
					"(commands) -> ask(commands, Scripts.CANCEL, ticket, Function.identity(), ticket.token()));",
					"(commands) -> CompletableFuture.completedFuture(true));")))
				.losingReplies(),
			Hunt.of(Mutant.of("hold count in the store", lua("attempt.lua", """
					-- Otherwise never refreshed: a stray copy must not lengthen anything.
					""", """
					redis.call('SET', lockKey .. ':again', token, 'PX', 30000)
					"""), lua("release.lua", OWNER_CHECK_OF_RELEASE, OWNER_CHECK_OF_RELEASE + """
					if redis.call('GET', KEYS[1] .. ':again') == token then
					  redis.call('DEL', KEYS[1] .. ':again')
					  return 'ok'
					end
					"""))).losingReplies(), Hunt.of(LATE_HAND_OFF).quiet(),
			Hunt.of(Mutant.of("reader beside a writer",
					lua("attempt.lua", "local granted = reader and owner == '~' and holds(false)",
							"local granted = reader and holds(false)")))
				.reading(),
			Hunt.of(Mutant.of("readers taken for a free lock",
					lua("attempt.lua", "string.byte(value) == TOMBSTONE and #value == #now + 1", "#value == #now + 1")))
				.reading(),
			Hunt.of(Mutant.of("first reader that leaves frees the lock",
					lua("grant.lua", "if settle(last) then", "if false then")))
				.reading(),
			Hunt.of(Mutant.of("reader past a writer that waits",
					lua("attempt.lua", "if not mine and owner == '~' and not head() and mayEnter(token) then",
							"if not mine and owner == '~' then")))
				.reading(),
			Hunt.of(Mutant.of("one reader more than the permits",
					lua("readers.lua", "ABOVE_ALL_TIMES) < limit", "ABOVE_ALL_TIMES) <= limit")))
				.sharing(),
			Hunt.of(Mutant.of("release checks the JVM and not the ticket",
					lua("release.lua", OWNER_CHECK_OF_RELEASE, """
							if not value or kind ~= READERS
							    and string.match(value, '^.(.*):') ~= string.match(token, '^(.*):') then
							  return 'gone'
							end
							""")))
				.inBackground()
				.losingReplies(),
			Hunt.of(Mutant.of("native release without owner check", java("backend/redis/NativeCommands.java",
					REPLACEMENT,
					"value.startsWith(\"|\") ? RedisCommands.bytes(this.keys.lock(key), value, \"PX\", millis, \"GET\") : "
							+ REPLACEMENT)))
				.onValkey()
				.slowAndSpread(),
			Hunt.of(Mutant.of("native attempt replaces any tombstone", java("backend/redis/NativeCommands.java",
					"return replace(commands, ticket.key(), \"|\" + value.token, held(ticket, first), lease).thenApply((taken) -> {",
					READ_TOMBSTONE)))
				.onValkey()
				.brief(),
			Hunt.of(Mutant.of("ZooKeeper writer past readers",
					java("backend/zookeeper/NodeQueue.java", "if (!(reader && node.isReader())) {",
							"if (!node.isReader()) {")))
				.onZooKeeper(),
			Hunt.of(Mutant.of("ZooKeeper lock outlives its session",
					java("backend/zookeeper/ZooKeeperSession.java", "extend(Validity.until(received, this.timeout));",
							"extend(Validity.until(received, this.timeout.multipliedBy(3)));")))
				.onZooKeeper());

	/**
	 * Faults that the library once had, each with the test that was written for it.
	 */
	static final List<RegressionMutant> REGRESSIONS = List.of(RegressionMutant
		.of(Mutant.of("error in sending leaves the command of its key in flight",
				java("engine/CommandSender.java", "catch (Throwable ex) { failure = StoreCalls.unwrap(ex); }",
						"catch (RuntimeException ex) { failure = StoreCalls.unwrap(ex); }"),
				java("engine/Effects.java",
						"boolean lost = (this.phase > SENT) ? ++this.sweepsAfterEnd > 1 : ++this.sweeps > MOST_SWEEPS;",
						"boolean lost = false;")),
				"registry.ErrorRecoveryTests#aKeyIsUsableAfterAnErrorAtAnyStepOfAWait"),
			RegressionMutant.of(
					Mutant.of("lock handed off with tokens behind those of its grant",
							java("engine/HandOffLimits.java", "&& from.fencingToken() < from.lastToken", "")),
					"engine.KeyStateTests#theQueueDecides"),
			RegressionMutant.of(
					Mutant.of("nothing looks for the dead owner of a lock without a lease",
							java("engine/HoldLease.java",
									"this.hold.hasView() ? Math.min(left, OWNER_CHECK_NANOS) : left", "left")),
					"backend.jdbc.H2ConnectionTests#theLockOfADeadThreadIsReleased"),
			RegressionMutant.of(
					Mutant.of("free lock recognised by the order of words", lua("attempt.lua",
							"string.byte(value) == TOMBSTONE and #value == #now + 1 and string.sub(value, 2) < now",
							"#value == #now + 1 and value < '|' .. now")),
					"backend.redis.CollatingRedisLockBackendTests#eachReaderHasATokenAndALeaseOfItsOwn"),
			RegressionMutant.of(
					Mutant.of("released lock taken for a lost one at the commit",
							java("transaction/CommitTerms.java", "|| lock.isReleased()", "")),
					"transaction.applications.LockedApplicationTests#workThatOutlivesALockThatWasReleasedCommits"),
			RegressionMutant.of(
					Mutant.of("locks wait for a connection that the application leaves",
							java("backend/jdbc/LockPool.java", "(this.own != null) ? this.own : this.application",
									"this.application")),
					"backend.jdbc.LeaseConnectionTests#locksWorkWhileTheCallersUseAllConnectionsOfTheApplication"),
			RegressionMutant.of(
					Mutant.of("ticket holds the lock by a node that an operator deleted",
							java("backend/zookeeper/ZooKeeperTicket.java",
									"if (this.node == first) { this.held = !this.abandoned; }"
											+ " return this.held && this.node == first;",
									"this.held = !this.abandoned; return this.held;")),
					"backend.zookeeper.ZooKeeperTicketTests#aTicketDoesNotHoldTheLockByANodeThatWasRemoved"),
			RegressionMutant.of(
					Mutant.of("threads inherit what is bound to a caller",
							java("thread/LockThreads.java", "task, \"distlock\", 0, false)",
									"task, \"distlock\", 0, true)")),
					"aop.CallerIdentityTests#theBodyOfAMonoDoesNotRunAsAnotherCaller"),
			RegressionMutant.of(Mutant.of("registry beans have the names of Spring Integration",
					java("autoconfigure/LockRegistryRegistrar.java",
							"\"distlock\" + StringUtils.capitalize(id) + \"LockRegistry\"", "id + \"LockRegistry\"")),
					"autoconfigure.NeighbourTests#theRegistriesOfSpringIntegrationAndShedLockKeepTheirNamesAndWork"));

	static final List<Mutant> ALL = Stream
		.of(SIMULATION.stream(), HUNTS.stream().map(Hunt::mutant), REGRESSIONS.stream().map(RegressionMutant::mutant))
		.flatMap((mutants) -> mutants)
		.distinct()
		.toList();

	private Mutants() {
	}

}
