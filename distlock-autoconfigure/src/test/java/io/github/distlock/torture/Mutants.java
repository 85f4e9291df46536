package io.github.distlock.torture;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * All mutants of the library, each with the net that has to find it: the simulation, the
 * torture test, or one test. Each is a realistic slip, or a fault that the library once
 * had.
 * <p>
 * A mutant is a row with its name, and a row for each {@link Mutant.Edit}: the file, the
 * text that is replaced, and after an arrow the text that replaces it. White space
 * between words does not count. What would heal a mutant, such as the sweep, is switched
 * off by an edit of its own.
 */
public final class Mutants {

	/**
	 * Slips in the engine, for the simulation. The list was fixed before the fault
	 * schedule was tuned. Slips of scripts and of stores are not in it, since the
	 * simulated server has none of these, and neither is the dead owner of a lock without
	 * a lease, since its leases end.
	 */
	public static final List<Mutant> SIMULATION = parse(
			"""
					renewal after release
					  renew.lua: if value and string.sub(value, 2) == ARGV[i * 2 - 1] then
					    => if not value or string.byte(value) == TOMBSTONE or string.sub(value, 2) == ARGV[i * 2 - 1] then
					        redis.call('SET', KEYS[i], '+' .. ARGV[i * 2 - 1], 'PX', ARGV[i * 2])
					  engine/Hold.java: HoldState.update(this, HoldState::ended).phase() => this.state.phase()
					  engine/HeldLocks.java: this.renewer.forget(hold); if (!releaseInStore => if (!releaseInStore
					validity of a grant counted from its answer
					  engine/KeyState.java: .newHold(queued, grant);
					    => .newHold(queued, new Grant(grant.firstToken(), grant.lastToken(),
					      io.github.distlock.backend.Validity.until(this.context.settings().clock().now(),
					      java.time.Duration.ofNanos(grant.validity().ttlNanos()))));
					validity of a renewal counted from its answer
					  engine/HoldLease.java: this.validity = longer ? later
					    => this.validity = longer ? io.github.distlock.backend.Validity.until(clock().now(),
					      java.time.Duration.ofNanos(later.ttlNanos()))
					waiter without a timer
					  engine/KeyState.java: queued.due |= timer.attemptOrDefer(); => timer.attemptOrDefer();
					  engine/KeyState.java: if (nothingIsToCome && this.live => if (false && this.live
					hand-off without the deadline check
					  engine/HandOffLimits.java: && clock.nanoTime() - turnNanos < this.maxTime.toNanos() =>
					  engine/HandOffLimits.java: && from.validity().remainingNanos(clock) >= Math.min(SUFFICIENT_LEASE_NANOS,
					      from.lease.toNanos() / 2)
					    =>
					  engine/Hold.java: this.lastToken, validity())
					    => this.lastToken, io.github.distlock.backend.Validity.until(this.context.clock().now(),
					      java.time.Duration.ofNanos(validity().ttlNanos())))
					error in sending leaves the attempt of its key in flight
					  engine/CommandSender.java: StoreCalls.unwrap(ex);
					    => StoreCalls.unwrap(ex); if (failure instanceof Error error && command instanceof Command.Attempt) throw error;
					  engine/Effects.java: (this.phase > SENT) ? ++this.sweepsAfterEnd > 1 : ++this.sweeps > MOST_SWEEPS; => false;
					-- Grants
					end of a wait decided outside the lock
					  engine/KeyState.java: return onEventIf(() -> { if (waiter.outcome() != null) { return false; } LockBackendException
					      failure = failure();
					    => if (waiter.outcome() != null) { return null; } return onEventIf(() -> { LockBackendException failure = failure();
					successor queued without its lease
					  engine/KeyState.java: new Successor(queued.ticket, queued.lease) => new Successor(queued.ticket, Duration.ofMillis(1))
					token repeated in a local hand-off
					  engine/Hold.java: earlier.handOffs + 1 => earlier.handOffs
					hand-offs beyond the tokens of the grant
					  engine/HandOffLimits.java: from.handOffs < this.budget && from.fencingToken() < from.lastToken && =>
					time for hand-offs ignored
					  engine/HandOffLimits.java: && clock.nanoTime() - turnNanos < this.maxTime.toNanos() =>
					message for an earlier ticket accepted as the grant of this one
					  engine/KeyState.java: QueuedTicket queued = queued(ticket); if (queued == null) {
					    => QueuedTicket queued = (this.live instanceof QueuedTicket waits) ? waits : null; if (queued == null) {
					grant for an unknown ticket not released
					  engine/KeyTable.java: this.sender.releaseUnknown(ticket, grant.firstToken()); =>
					safety margin left out
					  backend/Validity.java: Long.MAX_VALUE : this.ttlNanos - margin(); => Long.MAX_VALUE : this.ttlNanos;
					fair caller shares the ticket of its JVM
					  engine/Waiter.java: return request.fair() || => return
					-- Waits
					ticket of the last caller that gives up not cancelled
					  engine/KeyState.java: ownReleases().cancel(unwanted, this.context.settings().clock().nanoTime()); =>
					unanswered attempt not cancelled when its caller gives up
					  engine/KeyState.java: ownReleases().cancel( => if (!unwanted.attemptUnanswered) ownReleases().cancel(
					unanswered attempt forgotten when the next one is refused
					  engine/QueuedTicket.java: return !this.queued && !this.attemptUnanswered; => return !this.queued;
					ticket with an unanswered attempt not cancelled twice
					  engine/PendingReleases.java: this.stray = removed.ticket; =>
					interrupted caller does not see that it was granted the lock
					  registry/LockAcquirer.java: boolean interrupted = false; => boolean interrupted = false; boolean gaveUp = false;
					  registry/LockAcquirer.java: interrupted = !this.keys.giveUp(state, waiter, false);
					    => this.keys.giveUp(state, waiter, false); interrupted = false; gaveUp = true;
					  registry/LockAcquirer.java: if (waiter.outcome() instanceof WaitOutcome.GaveUp) { => if (gaveUp) {
					  registry/LockAcquirer.java: Math.min(remaining, LONGEST_PARK_NANOS) => remaining
					second waiter that one event decides not woken
					  engine/WaiterQueue.java: this.decided.add(waiter); =>
					waiters not woken by the release of a thread
					  engine/KeyTable.java: this.sender.send(state, effects); return HANDED_OFF; => return HANDED_OFF;
					  registry/LockAcquirer.java: Math.min(remaining, LONGEST_PARK_NANOS) => remaining
					cancelled future keeps the lock of its late grant
					  registry/AsyncAcquisition.java: // Cancelled at the moment of the grant. this.keys.releaseAsync(granted); =>
					cancelled future keeps the lock of its listeners
					  registry/AsyncAcquisition.java: lock.abandon(); =>
					refused callback forgotten
					  engine/TaskRunner.java: this.environment.startThread("distlock-late-callback", once); =>
					timer not set after the ticket was queued
					  engine/KeyState.java: retryTimer().retryAfter(waiting.retryAfter()); if (queued.markQueued( => if (queued.markQueued(
					earlier timer not set while a later one is
					  engine/RetryTimer.java: if (!this.scheduled || this.atNanos - this.scheduledForNanos < 0) { => if (!this.scheduled) {
					timer that fires too early not set again
					  engine/RetryTimer.java: if (!this.scheduled) { schedule(); } return false; => return false;
					outage not ended by an answer
					  engine/RetryTimer.java: this.outage = null; =>
					fair ticket that has left stays the oldest
					  engine/KeyTable.java: public void leftQueue() { this.waiting = false; } => public void leftQueue() { }
					state of a fair caller never removed
					  engine/KeyTable.java: all.byNumber.remove(this.number); =>
					-- Releases
					release forgotten after an error
					  engine/CommandSender.java: StoreCalls.unwrap(ex);
					    => StoreCalls.unwrap(ex); if (failure instanceof Error error && command instanceof Command.Release) throw error;
					  engine/Effects.java: (this.phase > SENT) ? ++this.sweepsAfterEnd > 1 : ++this.sweeps > MOST_SWEEPS; => false;
					release not repeated after a failure
					  engine/KeyState.java: if (this.context.settings().clock().nanoTime() - pending.giveUpNanos >= 0) { => {
					timer does not resume a failed release
					  engine/KeyState.java: this.pendingReleases.resume(); =>
					command that the executor refuses forgotten
					  engine/BackgroundCommands.java: if (rejection != null) { end.accept(null, rejection); } =>
					  engine/Effects.java: (this.phase > SENT) ? ++this.sweepsAfterEnd > 1 : ++this.sweeps > MOST_SWEEPS; => false;
					loss found by a release in the background not reported
					  engine/CommandSender.java: if (release != null && !late) { => if (false) {
					re-entry not counted
					  engine/Hold.java: (open) -> ((int) open > 0) ? open + more : open) => (open) -> open)
					lock that another thread has closed re-entered
					  engine/Hold.java: ? open + more : open) > 0; => ? open + more : open) >= 0;
					minimum hold time ignored
					  engine/HeldLocks.java: hold.holdLease.remainingMinHold(), closed); => Duration.ZERO, closed);
					minimum hold time forgotten at the shutdown
					  engine/HeldLocks.java: this.backend.expires() ? List.of() : retained() => retained()
					lease does not cover the minimum hold time
					  registry/RequestTerms.java: LeaseTerms.covering(storeLease, (minHold != null) ? minHold : Duration.ZERO);
					    => storeLease;
					grant that an operator has ended handed off
					  engine/HeldLocks.java: // Otherwise the next caller of this JVM would enter under the ended // grant.
					      hold.lose(LossCause.RELEASED_BY_OPERATOR);
					    =>
					lock that cannot be watched not released
					  engine/HeldLocks.java: forgetOfThisThread(hold); drop(hold); throw ex; => throw ex;
					  engine/Hold.java: this.state.phase() == HoldPhase.LEFT || this.state.phase() == HoldPhase.LOST; => false;
					shutdown leaves its waiters waiting
					  engine/KeyTable.java: all().forEach((state) -> this.sender.onEvent(state, () ->
					      state.failWaiters(shutDownException(state.key()))));
					    =>
					caller that joins during the shutdown not failed
					  engine/KeyTable.java: if (this.closed) { // close() may have failed the waiters before
					    => if (false) { // close() may have failed the waiters before
					-- Leases
					loss of an expired lease reported twice
					  engine/Hold.java: return this.phase.isOpen() ? => return (this.phase.isOpen() && this.phase != HoldPhase.EXPIRED) ?
					expired lease held again after a late answer
					  engine/Hold.java: HoldState.update(this, (now) -> now.expired(cause)); return 0; => return 0;
					  engine/HoldLease.java: if (!this.hold.checkExpired() && (longer => if ((longer
					lease not renewed again after a failure
					  engine/HoldLease.java: MAXIMUM_RETRY_NANOS; this.asked = FAILED; => MAXIMUM_RETRY_NANOS;
					renewals that the executor refuses forgotten
					  engine/RenewalQueue.java: containsKey(batch)) { this.failed.accept(batch.leases()); => containsKey(batch)) {
					watchdog set for the first lease only
					  engine/LeaseRenewer.java: this.timer.scheduleWithin(hold.holdLease.untilFirstEvent(), hold.holdLease.startNanos);
					    => if (this.holds.size() == 1) { this.timer.scheduleWithin(hold.holdLease.untilFirstEvent(),
					      hold.holdLease.startNanos); }
					plan of the watchdog overwritten after the scan
					  engine/RenewalTimer.java: this.planned.compareAndSet(far, now + SWEEP_NANOS); => this.planned.set(now + SWEEP_NANOS);
					take-over reported as a forgotten lock
					  engine/Hold.java: if (evidence == LossEvidence.TAKEN_OVER) { return LossCause.TAKEN_OVER; } =>
					silence of the store reported as a suspended process
					  engine/Hold.java: || this.holdLease.isUnanswered(); => || this.holdLease.isUnderWay();
					lost lock stays with its holder
					  engine/Hold.java: this.context.drop(this); } return open; => } return open;
					  engine/Hold.java: this.state.phase() == HoldPhase.LEFT || this.state.phase() == HoldPhase.LOST; => false;
					-- Limits of waiting callers
					one caller too many waits
					  engine/WaiterCounts.java: before < waiter.maxWaiting => before <= waiter.maxWaiting
					each state of a key counts its own waiters
					  engine/KeyTable.java: this.state = new KeyState(key, KeyTable.this.locks.newLock(), this); }
					    => this.state = new KeyState(key, KeyTable.this.locks.newLock(), this); } private final WaiterCounts mine = new
					      WaiterCounts(); @Override public KeySettings settings() { KeySettings all = super.settings(); return new
					      KeySettings(all.clock(), all.random(), all.handOffLimits(), all.backendTimeout(), all.commandTimeout(), this.mine,
					      all.invariants()); }
					caller not counted after its first attempt
					  engine/KeyState.java: queued.due = true; } firstAttemptIsOver(); => queued.due = true; }
					caller that gives up stays counted
					  engine/WaiterQueue.java: waiter.counts.remove(waiter);
					    => if (!(outcome instanceof WaitOutcome.GaveUp)) waiter.counts.remove(waiter);
					-- What a call that has returned promises, or what it costs
					close returns before its release was answered
					  engine/HeldLocks.java: closed == null && (!this.inBackground || hold.holdLease.hasMinHold() ||
					      !this.keys.mayReleaseInBackground(hold)); => false;
					release that the store refuses taken for a release
					  engine/HeldLocks.java: if (awaited && outcome == ReleaseOutcome.GONE) { throw lostBeforeRelease(hold); } =>
					thread that gives up does not wait for its cancel
					  engine/KeyTable.java: here && waiter.isDeparting() && effects.command() instanceof Command.Release => false
					  registry/LockAcquirer.java: waiter.isDeparting() ? this.environment.clock().nanoTime() +
					      this.keys.commandTimeoutNanos() : 0; => this.environment.clock().nanoTime();
					loss that a scan finds not reported
					  engine/LeaseRenewer.java: boolean over = hold.checkExpired(); => boolean over = !hold.isValid();
					risk not reported
					  engine/HoldLease.java: this.hold.context().atRisk(this.hold, reported); =>
					risk not ended by a release
					  engine/Hold.java: this.holdLease.endRisk(); return left; => return left;
					suspended machine not detected
					  backend/Validity.java: return suspended(wallMillis, nowNanos) ? 0 : => return
					suspended machine detected with the next renewal
					  engine/RenewalTimer.java: if ((suspended || this.planned.get() - now <= 0) => if ((this.planned.get() - now <= 0)
					refused batch sent again as it was
					  engine/LeaseRenewer.java: .forEach((i) -> send(List.of(batch.leases().get(i)))); => .count();
					each lease renewed at once
					  engine/HoldLease.java: hasMinHold() && granted.remainingNanos(clock()) <
					      this.terms.remainingMinHold(Duration.ZERO).toNanos(); => true;
					waiting ticket asks again and again
					  engine/RetryTimer.java: = interval.toNanos(); => = Math.min(interval.toNanos(), 20_000_000);
					hand-off inside the JVM with a command
					  engine/KeyState.java: Hold following
					    => ownReleases().cancel(newTicket(this.waiters.first()), this.context.settings().clock().nanoTime()); Hold following
					""");

	/**
	 * Common faults of distributed locks, for the torture test. Behind the name stands
	 * what {@link Hunt#of} reads. Without edits it is a mutant of the simulation.
	 */
	static final List<Hunt> HUNTS = parse(
			"""
					release without owner check | slow
					  release.lua: or kind ~= READERS and string.sub(value, 2, #token + 2) ~= token .. '|' then => then
					get and delete not atomic | slow
					  release.lua: or kind ~= READERS and string.sub(value, 2, #token + 2) ~= token .. '|' then => then
					  backend/redis/RedisLockStore.java: CompletionStage<ReleaseResult> sent = send(ticket, lastToken, next);
					    => CompletionStage<ReleaseResult> sent = this.connections.send("release", ticket.key(),
					        (commands) -> ask(commands,
					          new org.springframework.data.redis.core.script.DefaultRedisScript<>("local w = redis.call('GET', KEYS[1])"
					              + " return (w and string.find(w, ARGV[1] .. '|', 2, true) == 2 and 'ok' or 'gone') .. ARGV[2]",
					            String.class),
					          ticket, (reply) -> reply.kind().equals("ok"), ticket.token()))
					      .thenCompose((mine) -> mine ? send(ticket, lastToken, next)
					        : CompletableFuture.completedFuture(new ReleaseResult(false, null)));
					lock and expiry in two commands | killing-callers
					  attempt.lua: redis.pcall('PSETEX', lockKey, lease, owned) => redis.pcall('SET', lockKey, owned)
					  backend/redis/RedisLockStore.java: case Reply.GRANTED -> granted(ticket, reply, sent, lease, reply.numbers().length == 1);
					    => case Reply.GRANTED -> { commands.run(
					      new org.springframework.data.redis.core.script.DefaultRedisScript<>(
					      "return redis.call('PEXPIRE', KEYS[1], ARGV[1]) .. ARGV[2]", String.class), this.keys.of(ticket), millis(lease));
					      yield granted(ticket, reply, sent, lease, false); }
					renewal without owner check | late-renewals
					  renew.lua: if value and string.sub(value, 2) == ARGV[i * 2 - 1] then => if value then
					  renew.lua: if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[i * 2]) then => if true then
					renewal after release | spread
					validity counted from the reply | slow
					  backend/redis/RedisLockStore.java: case Reply.GRANTED -> granted(ticket, reply, sent, lease, reply.numbers().length == 1);
					    => case Reply.GRANTED -> granted(ticket, reply, this.clock.now(), lease, reply.numbers().length == 1);
					token not raised on take-over | usual
					  attempt.lua: local owned => if value then now = string.sub(value, 2) end local owned
					  values.lua: return math.max(last + 1, nowMicros) => return math.max(last, 1)
					waiter without a timer | patient
					no compensating release | losing-replies
					  backend/redis/RedisLockStore.java: (commands) -> ask(commands, Scripts.CANCEL, ticket, Function.identity(),
					      ticket.token()));
					    => (commands) -> CompletableFuture.completedFuture(true));
					hold count in the store | losing-replies
					  attempt.lua: -- Otherwise never refreshed: a stray copy must not lengthen anything.
					    => redis.call('SET', lockKey .. ':again', token, 'PX', 30000)
					  release.lua: if kind == OWNED and not next
					    => if redis.call('GET', KEYS[1] .. ':again') == token then
					      redis.call('DEL', KEYS[1] .. ':again')
					      return 'ok'
					    end
					    if kind == OWNED and not next
					hand-off without the deadline check | quiet
					reader beside a writer | reading
					  attempt.lua: local granted = reader and owner == '~' and holds(false) => local granted = reader and holds(false)
					readers taken for a free lock | reading
					  attempt.lua: string.byte(value) == TOMBSTONE and #value == #now + 1 => #value == #now + 1
					first reader that leaves frees the lock | reading
					  grant.lua: if settle(last) then => if false then
					reader past a writer that waits | reading
					  attempt.lua: if not mine and owner == '~' and not head() and mayEnter(token) then => if not mine and owner == '~' then
					one reader more than the permits | sharing
					  readers.lua: ABOVE_ALL_TIMES) < limit => ABOVE_ALL_TIMES) <= limit
					release checks the JVM and not the ticket | losing-replies torture.release=background
					  release.lua: string.sub(value, 2, #token + 2) ~= token .. '|' then
					    => string.match(value, '^.(.*):') ~= string.match(token, '^(.*):') then
					native release without owner check | slow-and-spread valkey
					  backend/redis/NativeCommands.java: RedisCommands.bytes(this.keys.lock(key), value, "IFEQ"
					    => value.startsWith("|") ? RedisCommands.bytes(this.keys.lock(key), value, "PX", millis, "GET") :
					      RedisCommands.bytes(this.keys.lock(key), value, "IFEQ"
					native attempt replaces any tombstone | brief valkey
					  backend/redis/NativeCommands.java: return replace(commands, ticket.key(), "|" + value.token, held(ticket, first),
					      lease).thenApply((taken) -> {
					    => return commands.execute("GET", RedisCommands.bytes(this.keys.lock(ticket.key()))).thenCompose((found) ->
					      replace(commands, ticket.key(), (found != null && found.startsWith("|")) ? found : "|" + value.token, held(ticket,
					      first), lease)).thenApply((taken) -> {
					ZooKeeper writer past readers | sessions torture.store=zookeeper
					  backend/zookeeper/NodeQueue.java: if (!(reader && node.isReader())) { => if (!node.isReader()) {
					ZooKeeper lock outlives its session | sessions torture.store=zookeeper
					  backend/zookeeper/ZooKeeperSession.java: (received, this.timeout)); => (received, this.timeout.multipliedBy(3)));
					""")
		.stream()
		.map(Hunt::of)
		.toList();

	/** Faults that the library once had, each with the test that was written for it. */
	static final List<RegressionMutant> REGRESSIONS = parse(
			"""
					error in sending leaves the command of its key in flight | registry.ErrorRecoveryTests#aKeyIsUsableAfterAnErrorAtAnyStepOfAWait
					  engine/CommandSender.java: (Throwable ex) { failure = => (RuntimeException ex) { failure =
					  engine/Effects.java: (this.phase > SENT) ? ++this.sweepsAfterEnd > 1 : ++this.sweeps > MOST_SWEEPS; => false;
					lock handed off with tokens behind those of its grant | engine.KeyStateTests#theQueueDecides
					  engine/HandOffLimits.java: && from.fencingToken() < from.lastToken =>
					nothing looks for the dead owner of a lock without a lease | backend.jdbc.H2ConnectionTests#theLockOfADeadThreadIsReleased
					  engine/HoldLease.java: this.hold.hasView() ? Math.min(left, OWNER_CHECK_NANOS) : left => left
					free lock recognised by the order of words | backend.redis.CollatingRedisLockBackendTests#eachReaderHasATokenAndALeaseOfItsOwn
					  attempt.lua: string.byte(value) == TOMBSTONE and #value == #now + 1 and string.sub(value, 2) < now
					    => #value == #now + 1 and value < '|' .. now
					released lock taken for a lost one at the commit | transaction.applications.LockedApplicationTests#workThatOutlivesALockThatWasReleasedCommits
					  transaction/CommitTerms.java: || lock.isReleased() =>
					locks wait for a connection that the application leaves | backend.jdbc.LeaseModeTests#locksWorkWhileTheCallersUseAllConnectionsOfTheApplication
					  backend/jdbc/LockPool.java: (this.own != null) ? this.own : this.application => this.application
					ticket holds the lock by a node that an operator deleted | backend.zookeeper.QueueTests#aTicketDoesNotHoldTheLockByANodeThatWasRemoved
					  backend/zookeeper/ZooKeeperTicket.java: if (this.node == first) { this.held = !this.abandoned; } return this.held &&
					      this.node == first;
					    => this.held = !this.abandoned; return this.held;
					threads inherit what is bound to a caller | aop.WorkExecutorTests#theBodyDoesNotRunAsAnotherCaller
					  thread/LockThreads.java: task, "distlock", 0, false) => task, "distlock", 0, true)
					registry beans have the names of Spring Integration | autoconfigure.NeighbourTests#theRegistriesOfSpringIntegrationAndShedLockKeepTheirNamesAndWork
					  autoconfigure/LockRegistryRegistrar.java: "distlock" + StringUtils.capitalize(id) => id
					""")
		.stream()
		.map(RegressionMutant::of)
		.toList();

	static final List<Mutant> ALL = Stream
		.of(SIMULATION.stream(), HUNTS.stream().map(Hunt::mutant), REGRESSIONS.stream().map(RegressionMutant::mutant))
		.flatMap((mutants) -> mutants)
		.distinct()
		.toList();

	private Mutants() {
	}

	static Mutant ofSimulation(String name) {
		return SIMULATION.stream().filter((mutant) -> mutant.name().equals(name)).findFirst().orElseThrow();
	}

	private static List<Mutant> parse(String table) {
		return Arrays.stream(table.split("\n(?! )"))
			.filter((row) -> !row.startsWith("--"))
			.map((row) -> row.split("\n  (?! )"))
			.map(Mutant::parse)
			.toList();
	}

}
