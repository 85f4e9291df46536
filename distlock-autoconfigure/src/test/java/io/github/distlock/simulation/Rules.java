package io.github.distlock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LossCause;
import io.github.distlock.engine.KeySnapshot;
import io.github.distlock.registry.RegistrySnapshot;
import io.github.distlock.simulation.Call.End;
import org.jspecify.annotations.Nullable;

/**
 * What must hold in each history: S1 to S8 and L1 of the design, answers in time, and
 * that the listeners were told what happened. {@link FaultEffects} says which fault
 * suspends what.
 */
record Rules(World world, History history, StoreProperties store, List<Fault> faults, List<Loss> losses) {

	/** Clocks run at speeds that differ by this at most. */
	private static final double DRIFT = 0.005;

	/** By how much the time of the server is wrong that a reading of 30 s ago gives. */
	private static final long CLOCK_ERROR = Duration.ofMillis(250).toNanos();

	/** What the preemption of threads may cost one call. */
	static final long STALLS = Duration.ofMillis(300).toNanos();

	/** The longest lease of a grant by message. */
	static final Duration SHORT_LEASE = Duration.ofSeconds(5);

	/** How long a grant may last in the store without its JVM. */
	private static final long LONGEST_LEASE = Duration.ofSeconds(40).toNanos();

	/** How long the earlier use of a key may matter. */
	static final long QUIET = Duration.ofMillis(500).toNanos();

	/** How long after a call began to wait its first attempt reaches the server. */
	private static final long ARRIVAL = Duration.ofMillis(250).toNanos();

	/** A call sends several commands, one after the other. */
	private static final int COMMANDS = 5;

	Rules(World world, History history) {
		this(world, history, new StoreProperties(world, history), new ArrayList<>(), new ArrayList<>());
	}

	private long now() {
		return this.world.scheduler.nanos();
	}

	private void violation(String property, String text) {
		this.world.violation(property, text);
	}

	void fault(Fault fault) {
		this.faults.add(fault);
		if (FaultEffects.suspends(fault.kind()).contains(FaultEffects.Property.GRANTS)
				&& fault.kind() != Fault.Kind.END_GRANT) {
			this.losses.add(new Loss(null, now(), now() + fault.nanos() + 1_000_000));
		}
	}

	/** An operator ends the grant of a key; the command may be late. */
	void ending(String key) {
		this.losses.add(new Loss(key, now(), now() + 2 * this.world.plan.commandTimeout().toNanos()));
	}

	private boolean mayHaveLost(String key, long from, long to) {
		return this.losses.stream()
			.anyMatch((loss) -> (loss.key == null || loss.key.equals(key)) && loss.from <= to && from <= loss.to);
	}

	private boolean suspended(FaultEffects.Property property, Call call) {
		return this.faults.stream()
			.anyMatch((fault) -> fault.concerns(call.place, call.key())
					&& FaultEffects.suspends(fault.kind()).contains(property));
	}

	private boolean isHeld(Call call) {
		HeldLock lock = call.lock;
		return lock != null && !call.jvm.crashed && this.world.scheduler.quietly(lock::isHeld);
	}

	/** S1 and S2 at an entry, before it is one of the earlier ones. */
	void entered(Call call, List<Call> earlier) {
		call.valid = isHeld(call);
		HeldLock lock = call.lock;
		if (call.valid && lock != null) {
			call.remaining = this.world.scheduler.quietly(lock::remaining).toNanos();
		}
		if (!call.valid) {
			call.remaining = 0;
			this.world.trace(call.label, "has entered too late");
			return;
		}
		checkExclusion(call, earlier);
		checkPermits(call, earlier);
		for (Call other : earlier) {
			if (other.token == call.token || (other.valid && other.token > call.token
					&& !(other.request.mode() == call.request.mode() && call.reads()) && !isCountedByAnotherClock(call)
					&& !mayHaveLost(call.key(), call.asked, other.answered))) {
				violation("S2", call + " entered " + call.key() + " after " + other);
			}
			checkMinHold(call, other);
		}
	}

	/** A lock that was found to be lost is lost for good. */
	void looked(Call call) {
		if (!isHeld(call)) {
			call.foundLost = true;
		}
		else if (call.foundLost) {
			violation("S1", call + " holds " + call.key() + " again, which it had lost");
		}
	}

	/** After a shutdown the store keeps only what callers held, or what is retained. */
	void shutDown(SimulatedJvm jvm, long begun, Predicate<String> heldInStore) {
		if (this.faults.stream().anyMatch((fault) -> !FaultEffects.LEAVE_COMMANDS.contains(fault.kind()))) {
			return;
		}
		this.history.calls.stream()
			.filter((call) -> call.jvm == jvm)
			.map(Call::key)
			.distinct()
			.filter((key) -> this.history.calls.stream()
				.noneMatch((call) -> call.jvm == jvm && call.key().equals(key)
						&& (call.left > begun || call.request.minHold() != null || call.end == null
								|| call.losses > 0)))
			.filter(heldInStore)
			.forEach((key) -> violation("S7", jvm + " has left " + key + " in the store at its shutdown"));
	}

	/** S1: no two callers hold a lock that does not allow it. */
	private void checkExclusion(Call call, List<Call> others) {
		for (Call other : others) {
			if (other != call && other.isInside() && !(other.reads() && call.reads()) && isHeld(other)
					&& !isCountedByAnotherClock(other) && !isCountedByAnotherClock(call)
					&& !mayHaveLost(call.key(), Math.min(call.asked, other.asked), now())) {
				violation("S1", call + " holds " + call.key() + " while " + other + " does");
			}
		}
	}

	/**
	 * Never more than the permits of a caller held the lock when it was granted: those
	 * with lower tokens that still hold it did so then, too.
	 */
	private void checkPermits(Call entered, List<Call> earlier) {
		List<Call> inside = Stream.concat(earlier.stream(), Stream.of(entered))
			.filter((call) -> call.isInside() && isHeld(call) && !isCountedByAnotherClock(call))
			.toList();
		for (Call call : inside) {
			List<Call> before = inside.stream().filter((other) -> other.token < call.token).toList();
			if (before.size() >= call.permits() && before.stream()
				.noneMatch((other) -> mayHaveLost(call.key(), Math.min(call.asked, other.asked), now()))) {
				violation("S1", call + " holds " + call.key() + " beside " + before);
			}
		}
	}

	/** Callers with permits enter in the order of their arrival. */
	private void checkOvertaking(Call call) {
		if (call.request.permits() == null || call.waiting == Call.NEVER
				|| this.history.calls.stream().anyMatch((other) -> losesPlaces(other, slowPackets()))) {
			return;
		}
		this.history.entriesOf(call.key())
			.stream()
			.filter((other) -> other.token < call.token && other.hasOwnPlace()
					&& other.started - ARRIVAL - slowPackets() > call.waiting)
			.forEach((other) -> violation("order",
					call + " waited for " + call.key() + " and was overtaken by " + other));
	}

	/**
	 * The deadline of a grant by message is computed from the time of the server. If the
	 * clocks run at different speeds and messages are late, it may be late, too: then the
	 * next holder may have entered before.
	 */
	private boolean isCountedByAnotherClock(Call call) {
		return this.world.plan.drift()
				&& (Math.abs(call.granted + call.remaining - now()) < CLOCK_ERROR || this.faults.stream()
					.anyMatch((fault) -> fault.kind() == Fault.Kind.DELAY_MESSAGES && fault.jvm() == call.place));
	}

	private void checkMinHold(Call call, Call other) {
		Duration minHold = other.request.minHold();
		if (minHold != null && other.valid && other.left != Call.NEVER && other.closeFailure == null && !other.abandoned
				&& !(call.reads() && other.reads())
				&& now() < other.granted + minHold.toNanos() * (1 - DRIFT) - stalls()
				&& !mayHaveLost(call.key(), other.asked, now()) && !endedSoon(other) && !hasShortGrant(other)
				&& !suspended(FaultEffects.Property.MIN_HOLD, other)) {
			violation("minHold", call + " entered " + call.key() + " too soon after " + other);
		}
	}

	/**
	 * Whether so little of the lease was left at the entry that the first renewal, which
	 * covers the minimum hold time, may come too late: the answer was late, or an earlier
	 * caller of the JVM had asked for a short lease with the same ticket.
	 */
	private boolean hasShortGrant(Call call) {
		return call.remaining < this.world.plan.commandTimeout().toNanos();
	}

	/** Whether its registry has ended before a message could be confirmed. */
	private boolean endedSoon(Call call) {
		long confirmed = call.granted + retry();
		return this.history.crashedAt(call) < confirmed
				|| (this.history.hasRestarted(call) && this.history.restartedAt(call) < confirmed);
	}

	/**
	 * Whether a fault goes on that a JVM may notice, be it by what it must not change.
	 */
	boolean isDisturbed(int place) {
		return this.faults.stream()
			.anyMatch((fault) -> (!fault.poisonedKey().isEmpty() || fault.concerns(place, ""))
					&& fault.atNanos() + fault.nanos() > now());
	}

	void leaving(Call call, List<Call> entries) {
		this.store.leaving(call);
		if (isHeld(call)) {
			checkExclusion(call, entries);
		}
	}

	/** A lock was closed without an exception. */
	void left(Call call) {
		this.store.left(call, mayHaveLost(call.key(), call.leavingSince, now()));
		if (isCalm(call.key())) {
			this.history.costs.left(call);
		}
	}

	/** Whether no fault has happened that could change who enters a key when. */
	private boolean isCalm(String key) {
		return this.faults.stream()
			.noneMatch((fault) -> (fault.poisonedKey().isEmpty() || fault.poisonedKey().equals(key))
					&& FaultEffects.suspends(fault.kind()).contains(FaultEffects.Property.TURNS));
	}

	/**
	 * S5: a call that was answered otherwise does not get the lock later. S8: a turn has
	 * its limits. And fair callers enter in the order of their arrival.
	 */
	void granted(Call call, @Nullable Call before) {
		if (call.turnTokens > this.world.plan.handOffBudget()) {
			violation("S8", call + " entered " + call.key() + " after all tokens of its turn");
		}
		if (isCalm(call.key())) {
			this.history.costs.granted(call, before);
			checkTurn(call);
			checkOvertaking(call);
			if (call.hasOwnPlace()
					&& this.history.entriesOf(call.key())
						.stream()
						.noneMatch((other) -> other.request.fair() && other.losses > 0)
					&& this.history.calls.stream().noneMatch((other) -> losesPlaces(other, slowPackets()))) {
				this.history.calls.stream()
					.filter((other) -> arrivedBefore(other, call))
					.forEach((other) -> violation("fair", call + " entered " + call.key() + " before " + other));
			}
		}
		if (call.end != null && call.end != End.CANCELLED) {
			violation("S5", call + " ended as " + call.end + ", and was granted " + call.key());
		}
	}

	/**
	 * Whether the grant of a fair call can expire while its message or its release is on
	 * its way: then the server forgets the places of its JVM.
	 */
	static boolean losesPlaces(Call call, long slowPackets) {
		return call.request.fair() && call.mayEndBeforeItsRelease(slowPackets);
	}

	/** A packet may take ten times as long as the others. */
	private long slowPackets() {
		return 25 * this.world.plan.latencyNanos();
	}

	private long stalls() {
		return (this.world.plan.stalls() > 0) ? STALLS : 2_000_000;
	}

	private void checkTurn(Call call) {
		if (call.handOff == HandOff.LOCAL
				&& call.granted - call.turnStarted > this.world.plan.handOffMaxTime().toNanos() + stalls()) {
			violation("S8", call + " entered " + call.key() + " " + (call.granted - call.turnStarted) / 1000
					+ " us after its turn had begun");
		}
	}

	/** Whether a call with a place of its own waits, and was there before another one. */
	private boolean arrivedBefore(Call first, Call second) {
		long wait = first.waitNanos();
		boolean ends = first.cancelled || first.interrupted || first.waitingEnded != Call.NEVER
				|| (wait >= 0 && now() > first.started + wait * (1 - DRIFT) - 1_000_000);
		return first.key().equals(second.key()) && first.hasOwnPlace()
				&& first.waiting < second.started - ARRIVAL - slowPackets() && !ends && first.reports == 0
				&& !(first.reads() && second.reads());
	}

	/**
	 * A caller that tries once is not refused because of an earlier holder of its JVM, if
	 * no other caller needs the lock.
	 */
	private void checkRefusal(Call call) {
		if (call.waitNanos() != 0 || isShort(call) || !isCalm(call.key())) {
			return;
		}
		boolean needed = this.history.calls.stream()
			.filter((other) -> other != call && other.key().equals(call.key()))
			.anyMatch((other) -> mayRefuse(other, call));
		if (!needed) {
			violation("refused", call + " was refused " + call.key() + ", which no other caller needed");
		}
	}

	private boolean mayRefuse(Call other, Call call) {
		long end = (other.end == End.ENTERED) ? other.left : other.answered;
		if (other.jvm == call.jvm && other.end == End.ENTERED && other.request.mode() == call.request.mode()
				&& !other.request.fair() && !call.request.fair() && call.request.permits() == null
				&& other.request.minHold() == null && other.losses == 0) {
			return end > call.started;
		}
		Duration minHold = other.request.minHold();
		return end > call.started - QUIET - slowPackets() || (minHold != null && other.granted != Call.NEVER
				&& other.granted + minHold.toNanos() > call.started - QUIET - slowPackets());
	}

	/** A loss needs a fault that explains it. */
	void lost(Call call, LossCause cause) {
		// A call that has just taken over the ticket of another one of its JVM, which may
		// have asked for a short lease: its first renewal may come too late.
		boolean isNew = now() - call.granted < slowPackets();
		boolean own = (call.limited && cause == LossCause.LEASE_EXPIRED)
				|| (cause == LossCause.STORE_SILENT && (isShort(call) || isNew));
		long nanos = this.faults.stream()
			.filter((fault) -> fault.concerns(call.place, call.key())
					&& FaultEffects.explains(fault.kind()).contains(cause))
			.mapToLong((fault) -> trouble(fault, call))
			.sum();
		Duration explicit = call.request.leaseTime();
		Duration lease = (explicit != null) ? explicit : this.world.plan.leaseTime();
		if (lease.compareTo(SHORT_LEASE) > 0) {
			lease = SHORT_LEASE;
		}
		own |= hasShortGrant(call) && FaultEffects.explains(Fault.Kind.PAUSE).contains(cause);
		own |= cause == LossCause.FORGOTTEN && isCountedByAnotherClock(call);
		if (!own && nanos < lease.toNanos() / 3) {
			violation("cause", call + " lost " + call.key() + " with the cause " + cause);
		}
		if (cause == LossCause.FORGOTTEN && !call.leaving && !call.reads()
				&& this.history.entriesOf(call.key()).stream().anyMatch((other) -> hasTakenOver(other, call))) {
			violation("cause", call + " lost " + call.key() + " to another holder, and was told that it is forgotten");
		}
	}

	/** Whether the packets of one command may need the whole lease of a call. */
	private boolean isShort(Call call) {
		return call.leaseEndsWithin(2 * slowPackets());
	}

	/** For how long a fault may have kept a call from renewing its lease. */
	private long trouble(Fault fault, Call call) {
		return switch (fault.kind()) {
			case PARTITION, PAUSE, RESTART_SERVER, POISON_KEY, THROW_ANSWERS ->
				(fault.atNanos() + fault.nanos() >= call.asked) ? fault.nanos() + retry() : 0;
			case LOSE_REQUESTS, LOSE_REPLIES, LATE_REQUESTS, DELAY_PACKETS -> fault.count() * retry() + fault.nanos();
			case RESTART_REGISTRY -> (fault.atNanos() + fault.nanos() >= call.asked) ? Long.MAX_VALUE / 1000 : 0;
			// The validity of a later grant may be computed with a reading from before
			// it.
			default -> Long.MAX_VALUE / 1000;
		};
	}

	/** What one failure of a command costs. */
	private long retry() {
		return this.world.plan.commandTimeout().toNanos() + STALLS;
	}

	private boolean hasTakenOver(Call other, Call call) {
		return other != call && !other.reads() && other.isInside() && !other.leaving && other.jvm != call.jvm
				&& other.valid && other.granted < now() - retry() && isHeld(other)
				&& !mayHaveLost(call.key(), other.asked, now());
	}

	/**
	 * No more calls of a JVM wait for a key than may. Calls whose first attempt is on its
	 * way do not wait yet, so this is looked at while no command of the key is. After an
	 * error of a timer a call may only be counted with its next attempt.
	 */
	void waits(Call call, List<KeySnapshot> keys) {
		if (this.world.plan.has(Fault.Kind.REFUSE_TASKS)) {
			return;
		}
		List<KeySnapshot> queues = keys.stream().filter((queue) -> queue.key().equals(call.key())).toList();
		int waiting = queues.stream().mapToInt(KeySnapshot::waiters).sum();
		long uncounted = this.history.calls.stream()
			.filter((other) -> other.jvm == call.jvm && other.key().equals(call.key()))
			.filter((other) -> other.reentering
					|| (other.end == null && (other.how == Call.How.VIEW || other.waitNanos() == 0)))
			.count();
		if (queues.stream().noneMatch(KeySnapshot::unfinished) && waiting - uncounted > this.world.plan.maxWaiting()) {
			violation("limit", waiting + " calls wait for " + call.key() + " in " + call.jvm + ", " + uncounted
					+ " of them need not be counted: " + call + " is one more than may");
		}
	}

	/** A call is refused if as many others wait, and at once. */
	private void checkLimit(Call call) {
		long others = this.history.calls.stream()
			.filter((other) -> other != call && other.jvm == call.jvm && other.key().equals(call.key())
					&& other.waitNanos() != 0)
			.filter((other) -> other.end == null || other.answered > call.started - STALLS)
			.count();
		if (call.waitNanos() == 0 || call.how == Call.How.VIEW || others < call.maxWaiting(this.world.plan)) {
			violation("limit", call + " was refused " + call.key() + ", for which " + others + " others may wait");
		}
		if (call.answered - call.started > slack(call)) {
			violation("limit", call + " was refused after " + (call.answered - call.started) / 1000 + " us");
		}
	}

	/** A call was answered: not too soon, not too late, and as it was reported. */
	void answered(Call call) {
		long elapsed = call.answered - call.started;
		long wait = call.waitNanos();
		if (call.end == End.TIMED_OUT && elapsed < wait * (1 - DRIFT) - 1_000_000) {
			violation("answer", call + " timed out after " + elapsed / 1000 + " us");
		}
		if (wait >= 0 && elapsed > wait * (1 + DRIFT) + slack(call)) {
			violation("answer", call + " with a wait time of " + call.request.waitTime() + " was answered after "
					+ elapsed / 1000 + " us");
		}
		if (call.end == End.TIMED_OUT) {
			checkRefusal(call);
		}
		if (call.end == End.TIMED_OUT || call.end == End.INTERRUPTED) {
			this.store.gaveUp(call, mayHaveLost(call.key(), call.started - LONGEST_LEASE, now()));
		}
		if (call.end == End.ERROR && this.faults.stream()
			.noneMatch((fault) -> FaultEffects.throwsErrors(fault.kind()) && fault.concerns(call.place, call.key()))) {
			violation("answer", call + " ended with an error that no fault of its JVM or key explains");
		}
		if (call.end == End.REFUSED) {
			checkLimit(call);
		}
		if (call.end == End.STORE_FAILED && !suspended(FaultEffects.Property.ANSWERS, call)) {
			violation("answer", call + " failed, although the store answered");
		}
		if (!call.isAsync()) {
			checkReport(call);
		}
	}

	private long slack(Call call) {
		long nanos = COMMANDS * this.world.plan.commandTimeout().toNanos() + STALLS;
		for (Fault fault : this.faults) {
			if (fault.jvm() == call.place) {
				nanos += switch (fault.kind()) {
					case PAUSE, RESTART_REGISTRY -> fault.nanos();
					case REFUSE_TASKS, ERRORS -> this.world.plan.backendTimeout().toNanos();
					default -> 0;
				};
			}
		}
		return nanos;
	}

	/**
	 * S7 in a JVM, and what its listeners were told. To be called when all callers have
	 * finished, and before the registry is closed.
	 */
	void checkJvmAtEnd(SimulatedJvm jvm, RegistrySnapshot registry) {
		if (!registry.isIdle() || !registry.held().isEmpty() || !registry.waiting().isEmpty()) {
			violation("S7", jvm + " still holds or waits: " + registry.held() + registry.waiting() + registry.keys()
					+ ", watched leases " + registry.watchedLeases());
		}
		// The sweep may just run.
		for (int i = 0; i < 5 && !jvm.executors.stream().allMatch(SimulatedExecutor::isIdle); i++) {
			this.world.scheduler.sleep(1_000_000);
		}
		jvm.executors.stream()
			.filter((executor) -> !executor.isIdle())
			.forEach((executor) -> violation("S7", jvm + " still has work to do in " + executor));
		this.history.calls.stream().filter((call) -> call.jvm == jvm).forEach((call) -> {
			checkReport(call);
			if (call.granted != Call.NEVER) {
				checkEnd(call);
			}
		});
	}

	/** Each call is reported once, with its outcome. */
	private void checkReport(Call call) {
		End end = call.end;
		if (end == null) {
			violation("answer", call + " was never answered");
			return;
		}
		LockOutcome reported = call.reported;
		boolean right = switch (end) {
			case ENTERED -> reported == LockOutcome.ACQUIRED;
			case TIMED_OUT -> reported == ((call.how == Call.How.TRY || call.how == Call.How.TRY_ASYNC)
					? LockOutcome.SKIPPED : LockOutcome.TIMEOUT);
			case REFUSED -> reported == LockOutcome.TOO_MANY_WAITING;
			case INTERRUPTED -> reported == LockOutcome.INTERRUPTED;
			// A registry that is closed reports nothing.
			case STORE_FAILED -> reported == null || reported == LockOutcome.BACKEND_ERROR;
			case CANCELLED -> reported != null && reported != LockOutcome.INVALID;
			case ERROR -> reported == LockOutcome.BACKEND_ERROR;
		};
		if (!right || call.reports > 1) {
			violation("listener",
					call + " ended as " + end + ", and was reported " + call.reports + " times, as " + reported);
		}
		if ((call.waiting == Call.NEVER) != (call.waitingEnded == Call.NEVER)) {
			violation("listener", call + " waits in the eyes of the listener");
		}
	}

	/** Each grant has one end, each loss one report. */
	private void checkEnd(Call call) {
		boolean late = call.lost != null && call.lost.released();
		int open = (call.losses > 0 && !late) ? 1 : 0;
		if (call.losses > 1 || call.releases != 1 - open) {
			violation("listener", call + " of " + call.key() + " was reported as released " + call.releases
					+ " times and as lost " + call.losses + " times");
		}
		if (call.risks != call.risksEnded) {
			violation("listener", call + " of " + call.key() + " was reported " + call.risks + " times as at risk, and "
					+ call.risksEnded + " times as no longer so");
		}
		Throwable failure = call.closeFailure;
		if (call.end == End.ENTERED && !(failure instanceof SimulatedError)
				&& (failure instanceof LockLostException) != (open == 1)) {
			violation("listener", call + " of " + call.key() + " was closed with " + failure
					+ ", and was reported as lost " + call.losses + " times");
		}
		if (call.callbacks >= 0 && call.callbacks != open) {
			violation("listener", call + " of " + call.key() + " ran its callback for the loss " + call.callbacks
					+ " times instead of " + open);
		}
	}

	/** S7 in the server, L1 and S8. */
	void checkAtEnd() {
		List<String> left = this.world.network.server.keysLeft();
		if (!left.isEmpty()) {
			violation("S7", "The server still knows " + left);
		}
		for (String key : this.history.keys()) {
			boolean calm = isCalm(key);
			List<Fault> faults = this.faults.stream()
				.filter((fault) -> fault.poisonedKey().isEmpty() || fault.poisonedKey().equals(key))
				.toList();
			new Progress(this.world, this.history, faults, calm).check(key);
			if (calm) {
				new Turns(this.world).check(this.history.entriesOf(key),
						this.history.calls.stream().filter((call) -> call.key().equals(key)).toList());
			}
		}
	}

	/** When the store may have lost the grants of a key, or of all. */
	record Loss(@Nullable String key, long from, long to) {
	}

}
