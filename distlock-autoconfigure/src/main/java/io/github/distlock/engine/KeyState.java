package io.github.distlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockOutcome;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.engine.Effects.Command;
import io.github.distlock.engine.KeySnapshot.UnfinishedWork;
import io.github.distlock.engine.PendingReleases.PendingRelease;
import io.github.distlock.environment.EngineEnvironment.Invariants;
import org.jspecify.annotations.Nullable;

import static io.github.distlock.LockOutcome.TIMEOUT;
import static io.github.distlock.LockOutcome.TOO_MANY_WAITING;

/**
 * The state of one key in this JVM: the waiters, the holder, and the command that is on
 * its way to the store. Opaque for callers, which get it when they join. This is the one
 * hard class of the package, in one file on purpose: its parts cannot be understood
 * without each other.
 * <p>
 * <b>Design.</b> A state machine. Each event (a caller joins, the store answers, a timer
 * fires) is one short critical section. It changes the state and returns {@link Effects},
 * which the caller of the method carries out after the lock has been released. No command
 * is sent and no waiter is woken under the lock. The event methods come first, then the
 * state changes that they share, then {@link #takeEffects}, which ends each event. The
 * events of every cycle are written out, and the others use {@link #onEvent}: a lambda is
 * an object, and a class that a new JVM has to load.
 * <p>
 * <b>Lock.</b> {@link #lock} guards all fields. Locks are striped over keys, so that a
 * held lock needs none of its own. Never call another key state while holding one.
 * Nothing that is called here does so: {@link KeyContext} only changes maps, and leaves
 * everything else to other threads. A stack overflow inside {@code unlock()} can leave a
 * lock taken for good. So each thread gives up after a number of tries, and a thread that
 * also serves other keys (timer, driver, sweep) checks {@link #isFree} first.
 * <p>
 * <b>Invariants.</b> {@link Conditions} checks them at the end of each event, in tests.
 * <ul>
 * <li>At most one command of a key is in flight, so its commands cannot overtake each
 * other. An answer counts only while its command is the one in flight.</li>
 * <li>There is at most one {@link #live} ticket, which waits or holds the lock. It is set
 * before its first attempt is sent, since a grant message may arrive before the
 * reply.</li>
 * <li>A ticket that moved to {@link #pendingReleases} is never attempted, renewed or
 * handed off again, and no other ticket is attempted before the store has answered its
 * release.</li>
 * <li>A queued ticket belongs to the key, not to a thread: it is kept while any caller
 * waits. While it waits, or a ticket leaves, a command is in flight or a timer is
 * set.</li>
 * <li>A key state without waiters, live ticket, pending releases and command in flight is
 * removed from its context, once, and never used again.</li>
 * </ul>
 * <p>
 * <b>Errors.</b> An {@link Error} may interrupt an event at any step. What allocates
 * comes first in each event, and the fields change after it. The next event therefore
 * finds a valid state. {@link #sweep} runs every second and repairs what an error left:
 * it settles a command whose outcome was lost, fires a timer that was, wakes the waiters
 * that have been decided, and releases the lock of a holder that has left. Until then the
 * key waits.
 * <p>
 * <b>Memory.</b> Each held lock has one of these. What only waiting and failures need is
 * created when it is first used, see {@link RetryTimer}.
 */
public final class KeyState {

	/** Enough for a thread that has the lock and runs. */
	private static final long MOMENT_NANOS = Duration.ofMillis(1).toNanos();

	/** How often, and for how long in all, an event tries to get the lock. */
	private static final int TRIES = 20;

	private static final long LONGEST_ENTER_NANOS = Duration.ofSeconds(2).toNanos();

	/** How long a report waits for the lock. */
	private static final long REPORT_NANOS = Duration.ofMillis(10).toNanos();

	private final Lock lock;

	private final String key;

	private final KeyContext context;

	private WaiterQueue waiters = WaiterQueue.NONE;

	private PendingReleases pendingReleases = PendingReleases.NONE;

	/** The ticket of this JVM that waits or holds the lock. */
	private @Nullable LiveTicket live;

	/** The command that is on its way to the store. */
	private @Nullable Command inFlight;

	/** Exists once the key has waited, or the store has failed. */
	private @Nullable RetryTimer retryTimer;

	/** When the last grant of the store arrived. */
	private long turnNanos;

	private boolean removed;

	/**
	 * Create the state of a key that is not in use.
	 * @param lock guards this key state, and perhaps others
	 */
	KeyState(String key, Lock lock, KeyContext context) {
		this.key = key;
		this.lock = lock;
		this.context = context;
	}

	String key() {
		return this.key;
	}

	// Events of callers

	/**
	 * Add a waiter. A waiter that tries once does not wait behind others, and no waiter
	 * waits where too many do.
	 * @return the effects, or {@code null} if this key state has been removed
	 */
	@Nullable Effects join(Waiter waiter) {
		enter();
		try {
			if (this.removed) {
				return null;
			}
			boolean behind = this.live instanceof Hold || !this.waiters.isEmpty();
			if (waiter.triesOnce() ? behind : !this.context.settings().waiterCounts().add(waiter, behind)) {
				ownWaiters().decide(waiter, refused(waiter.triesOnce() ? TIMEOUT : TOO_MANY_WAITING));
			}
			else {
				ownWaiters().add(waiter);
			}
			return takeEffects(null);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * A waiter gives up.
	 * @return the effects, or {@code null} if its outcome was decided before
	 */
	@Nullable Effects giveUp(Waiter waiter, boolean timedOut) {
		return onEventIf(() -> {
			if (waiter.outcome() != null) {
				return false;
			}
			LockBackendException failure = failure();
			// After a failure it is unknown whether the lock was free: not a time-out.
			dismiss(waiter, !timedOut ? new WaitOutcome.GaveUp()
					: (failure != null) ? new WaitOutcome.Failure(failure) : refused(TIMEOUT));
			return true;
		});
	}

	/**
	 * The holder leaves, and the next waiter becomes the holder under the same grant,
	 * without a command.
	 * @return the effects, or {@code null} if the lock must go back to the store; then
	 * nothing has changed
	 */
	@Nullable Effects tryHandOff(Hold from) {
		return onEventIf(() -> {
			if (this.live != from || this.waiters.isEmpty()
					|| !this.context.settings()
						.handOffLimits()
						.allow(from, this.waiters.first(), this.turnNanos, this.context.settings().clock())) {
				return false;
			}
			Hold following = this.waiters.first().newHold(from, from.currentGrant());
			this.waiters.decide(this.waiters.first(), following);
			this.live = following;
			return true;
		});
	}

	/**
	 * The holder leaves, and the lock goes back to the store.
	 * @param release its release, which is sent now or after another command
	 * @return the effects, or {@code null} if this holder does not hold the lock any more
	 */
	@Nullable Effects release(Hold leaving, PendingRelease release) {
		enter();
		try {
			if (this.live != leaving) {
				return null;
			}
			ownReleases().release(release);
			this.live = null;
			return takeEffects(null);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Fail all waiters, because the registry shuts down for example. */
	Effects failWaiters(LockBackendException cause) {
		return onEvent(() -> {
			this.waiters.decideAll(new WaitOutcome.Failure(cause), (waiter) -> true);
			this.waiters.departAll();
		});
	}

	// Events of the store

	/**
	 * The store reports by message that a ticket was granted.
	 * @return the effects, or {@code null} if this key state does not know the ticket
	 */
	@Nullable Effects granted(Ticket ticket, Grant grant) {
		return onEventIf(() -> {
			QueuedTicket queued = queued(ticket);
			if (queued == null) {
				return (this.live != null && this.live.ticket.equals(ticket)) || this.pendingReleases.contains(ticket);
			}
			storeAnswered();
			queued.waited = true;
			if (grant.validity().hasPassed(this.context.settings().clock())) {
				queued.due = true;
			}
			else {
				acquired(queued, queued.lease, grant);
			}
			return true;
		});
	}

	/**
	 * Another attempt may succeed now.
	 * @param ticket the ticket to attempt, {@code null} for the one that waits
	 */
	Effects retry(@Nullable Ticket ticket) {
		return onEvent(() -> {
			if (this.live instanceof QueuedTicket queued && (ticket == null || queued.ticket.equals(ticket))) {
				queued.due = true;
			}
		});
	}

	// Each returns null if the command is not in flight any more

	/** The store answered an attempt. */
	@Nullable Effects attemptAnswered(Command.Attempt attempt, AttemptResult result) {
		enter();
		try {
			if (!settle(attempt)) {
				return null;
			}
			storeAnswered();
			QueuedTicket queued = queued(attempt.ticket);
			// Otherwise a message has arrived before the reply.
			if (queued != null) {
				applyResult(queued, attempt.lease, result);
			}
			return takeEffects(null);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The store answered a release, or a cancel, which has no result. */
	@Nullable Effects releaseAnswered(Command.Release release, @Nullable ReleaseResult result) {
		enter();
		try {
			if (!settle(release)) {
				return null;
			}
			storeAnswered();
			leftStore(release.pending, (result != null) ? result.next() : null);
			return takeEffects(null);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The store did not answer a command, or it could not be sent. */
	@Nullable Effects failed(Command command, LockBackendException cause) {
		return onEventIf(() -> {
			boolean expected = settle(command);
			if (expected) {
				commandFailed(command, cause);
			}
			return expected;
		});
	}

	// Events of the timer

	Effects timerFired() {
		return onEvent(this::fireTimer);
	}

	/** Repeat what an error, or a task that no thread took, has prevented. */
	Effects sweep() {
		enter();
		try {
			PendingRelease unanswered = null;
			Command sent = this.inFlight;
			if (sent != null && sent.isLost()) {
				this.inFlight = null;
				commandFailed(sent, new LockBackendException("The outcome of a command for lock '" + this.key
						+ "' was lost: an error was thrown, or the store has not answered"));
				unanswered = (sent instanceof Command.Release release) ? release.pending : null;
			}
			TimeSource clock = this.context.settings().clock();
			if (this.live instanceof Hold hold && hold.isAbandoned()) {
				ownReleases().release(new PendingRelease(hold, clock.nanoTime() + hold.storeLeaseNanos()));
				this.live = null;
			}
			fireTimer();
			boolean nothingIsToCome = this.inFlight == null
					&& (this.retryTimer == null || !this.retryTimer.firesInTime());
			if (nothingIsToCome && this.live instanceof QueuedTicket queued) {
				queued.due = true;
			}
			return takeEffects(unanswered);
		}
		finally {
			this.lock.unlock();
		}
	}

	// Queries

	/** Whether no thread has the lock for longer than a moment. */
	boolean isFree() {
		return isFree(MOMENT_NANOS);
	}

	/**
	 * Whether no thread has the lock.
	 * @param nanos how long to wait for a thread that has it for a moment
	 */
	boolean isFree(long nanos) {
		boolean free = tryEnter(nanos);
		if (free) {
			this.lock.unlock();
		}
		return free;
	}

	/** The work that a shutdown would have to wait for. */
	UnfinishedWork unfinished() {
		if (!tryEnter(REPORT_NANOS)) {
			return UnfinishedWork.COMMANDS;
		}
		try {
			UnfinishedWork commands = (failure() != null) ? UnfinishedWork.RETRIES : UnfinishedWork.COMMANDS;
			return (this.live instanceof Hold) ? UnfinishedWork.HELD_LOCKS : commands;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** If the lock was not returned, only the key is known. */
	KeySnapshot snapshot() {
		if (!tryEnter(REPORT_NANOS)) {
			return new KeySnapshot(this.key, null, 0, true, null, 0);
		}
		try {
			Ticket held = (this.live instanceof Hold hold) ? hold.ticket : null;
			return new KeySnapshot(this.key, held, this.waiters.size(),
					this.inFlight != null || !this.pendingReleases.isEmpty(), blockedBy(),
					(this.retryTimer != null) ? this.retryTimer.unansweredNanos() : 0);
		}
		finally {
			this.lock.unlock();
		}
	}

	// State changes

	/**
	 * Tries are counted, and not only time: the process may be paused, and a virtual
	 * thread may wait long for its turn although the lock is free most of the time.
	 */
	private void enter() {
		boolean entered = this.lock.tryLock();
		long nanos = Math.min(this.context.settings().commandTimeout().toNanos(), LONGEST_ENTER_NANOS) / TRIES;
		for (int i = 0; !entered && i < TRIES; i++) {
			entered = tryEnter(nanos);
		}
		if (!entered) {
			throw new LockBackendException("Lock '" + this.key + "' cannot be used in this JVM: another thread had its"
					+ " internal state at each of " + TRIES + " tries. If the log has a StackOverflowError, it has"
					+ " interrupted that thread: restart the application. Otherwise that thread does not get enough"
					+ " processor time");
		}
	}

	private boolean tryEnter(long nanos) {
		try {
			return this.lock.tryLock(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			// It has cleared the status.
			boolean entered = tryEnter(nanos);
			Thread.currentThread().interrupt();
			return entered;
		}
	}

	private Effects onEvent(Runnable event) {
		return Objects.requireNonNull(onEventIf(() -> {
			event.run();
			return true;
		}));
	}

	private @Nullable Effects onEventIf(BooleanSupplier event) {
		enter();
		try {
			return event.getAsBoolean() ? takeEffects(null) : null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The store has answered an attempt, or an attempt that a release made.
	 * @param askedLease the lease that the store was asked for
	 */
	private void applyResult(QueuedTicket queued, Duration askedLease, AttemptResult result) {
		if (result instanceof Grant granted) {
			if (granted.validity().hasPassed(this.context.settings().clock())) {
				// For a waiter that tries once this was the only attempt.
				this.waiters.matching(Waiter::triesOnce).forEach((waiter) -> dismiss(waiter, refused(TIMEOUT)));
				retryTimer().retryAfterStaleGrant();
				firstAttemptIsOver();
			}
			else {
				acquired(queued, askedLease, granted);
			}
			return;
		}
		queued.waitsFor(result);
		this.waiters.decideAll(refused(TIMEOUT), Waiter::triesOnce);
		if (result instanceof AttemptResult.Queued waiting) {
			retryTimer().retryAfter(waiting.retryAfter());
			if (queued.markQueued(waiting.queuedNow())) {
				this.context.requeuedAtEnd();
			}
		}
		else if (this.waiters.isEmpty() && queued.isUnknownToStore()) {
			// The only caller did not want to wait, and the store does not know it.
			this.live = null;
			this.context.leftQueue();
		}
		else {
			queued.due = true;
		}
		firstAttemptIsOver();
	}

	/**
	 * The oldest waiter waits from now on, if it did not: its attempt was answered
	 * without a grant, or the store has failed. The others have waited behind it since
	 * they came.
	 */
	private void firstAttemptIsOver() {
		if (!this.waiters.isEmpty() && !this.context.settings().waiterCounts().add(this.waiters.first(), true)) {
			dismiss(this.waiters.first(), refused(TOO_MANY_WAITING));
		}
	}

	/** What holds the lock, as far as this JVM knows. For messages only. */
	private @Nullable StoredHolder blockedBy() {
		return (this.live != null) ? this.live.blockedBy() : null;
	}

	/**
	 * The outcome of a waiter that is refused. If no attempt of its ticket could be made,
	 * it is unknown whether the lock was free: not a time-out.
	 */
	private WaitOutcome refused(LockOutcome reason) {
		LockBackendException problem = (reason == TIMEOUT && this.live instanceof QueuedTicket queued)
				? queued.notAttempted : null;
		return (problem != null) ? new WaitOutcome.Failure(problem) : new WaitOutcome.Refused(reason, blockedBy());
	}

	/** The queued ticket was granted the lock: the first waiter becomes the holder. */
	private void acquired(QueuedTicket queued, Duration askedLease, Grant grant) {
		if (this.pendingReleases.isEmpty() && this.retryTimer != null) {
			// Otherwise a deferred release still needs the timer.
			this.retryTimer.clear();
		}
		if (this.waiters.isEmpty() || askedLease.compareTo(this.waiters.first().lease()) > 0) {
			// All waiters have left, or the one that asked for such a long lease.
			ownReleases().giveBack(queued, askedLease, grant, this.context.settings().clock().nanoTime());
			this.live = null;
		}
		else {
			Hold hold = this.waiters.first().newHold(queued, grant);
			this.waiters.decide(this.waiters.first(), hold);
			this.live = hold;
			this.turnNanos = hold.startNanos();
		}
		this.context.leftQueue();
	}

	/**
	 * A ticket has left the store, or its release is given up.
	 * @param next the answer for the ticket that the release queued, if there is one
	 */
	private void leftStore(PendingRelease pending, @Nullable AttemptResult next) {
		this.pendingReleases.remove(pending);
		if (this.live instanceof QueuedTicket queued) {
			queued.waited = true;
			if (next != null && pending.next != null) {
				applyResult(queued, pending.next.lease(), next);
			}
			else {
				// It is unknown whether the release queued it: it must ask.
				queued.due = true;
			}
		}
	}

	/**
	 * A waiter leaves without the lock. If no other waiter keeps the queued ticket, it
	 * returns only after that ticket has left the store.
	 */
	private void dismiss(Waiter waiter, WaitOutcome outcome) {
		if (this.live instanceof QueuedTicket queued && this.waiters.isOnly(waiter) && failure() == null) {
			this.waiters.depart(waiter, queued.ticket, outcome);
		}
		else {
			ownWaiters().decide(waiter, outcome);
		}
	}

	private void storeFailed(LockBackendException cause) {
		boolean tooLong = retryTimer().failed(cause);
		// A store that is not set up does not give another answer later.
		boolean permanent = cause instanceof StoreUnusableException;
		this.waiters.decideAll(new WaitOutcome.Failure(cause), (waiter) -> tooLong || permanent || waiter.triesOnce());
		firstAttemptIsOver();
	}

	private void storeAnswered() {
		if (this.retryTimer != null) {
			this.retryTimer.storeAnswered();
		}
	}

	/** The last failure, if the store has not answered since. */
	private @Nullable LockBackendException failure() {
		return (this.retryTimer != null) ? this.retryTimer.failure() : null;
	}

	private RetryTimer retryTimer() {
		if (this.retryTimer == null) {
			this.retryTimer = new RetryTimer(this.context, this);
		}
		return this.retryTimer;
	}

	/**
	 * A command was answered, or has failed.
	 * @return whether it is the one in flight; otherwise this comes too late to count
	 */
	private boolean settle(Command settled) {
		if (this.inFlight != settled) {
			return false;
		}
		this.inFlight = null;
		return true;
	}

	private void commandFailed(Command command, LockBackendException cause) {
		if (command instanceof Command.Release release) {
			PendingRelease pending = release.pending;
			storeFailed(pending.notAttempted(cause));
			pending.deferred = true;
			if (this.context.settings().clock().nanoTime() - pending.giveUpNanos >= 0) {
				// The lease has passed: repeating the release is pointless.
				leftStore(pending, null);
			}
			return;
		}
		Command.Attempt attempt = (Command.Attempt) command;
		Ticket ticket = attempt.ticket;
		QueuedTicket queued = queued(ticket);
		if (attempt.withdraw()) {
			if (queued != null) {
				queued.notSent(attempt);
			}
		}
		else {
			// A message may have arrived before, and its holder may have left already.
			this.pendingReleases.markAttemptUnanswered(ticket);
			if (this.live != null && this.live.ticket.equals(ticket)) {
				this.live.attemptUnanswered = true;
			}
		}
		if (queued != null) {
			if (!queued.waited) {
				this.waiters.failDeparting(ticket, cause);
			}
			storeFailed(cause);
		}
	}

	private void fireTimer() {
		RetryTimer timer = this.retryTimer;
		if (timer != null && timer.timerFired()) {
			this.pendingReleases.resume();
			if (this.live instanceof QueuedTicket queued) {
				queued.due |= timer.attemptOrDefer();
			}
		}
	}

	/** The waiters, to add one. */
	private WaiterQueue ownWaiters() {
		if (this.waiters == WaiterQueue.NONE) {
			this.waiters = new WaiterQueue();
		}
		return this.waiters;
	}

	/** The tickets that leave, to add one. */
	private PendingReleases ownReleases() {
		PendingReleases current = this.pendingReleases;
		if (current == PendingReleases.NONE) {
			current = new PendingReleases();
			this.pendingReleases = current;
		}
		return current;
	}

	/** A ticket, if it waits. */
	private @Nullable QueuedTicket queued(Ticket ticket) {
		return (this.live instanceof QueuedTicket queued && queued.ticket.equals(ticket)) ? queued : null;
	}

	/** Whether a ticket is in the store, about to leave it, and an answer is expected. */
	private boolean leavesStore(Ticket ticket) {
		boolean unwanted = queued(ticket) != null && this.waiters.isEmpty();
		return (unwanted || this.pendingReleases.expectsAnswerFor(ticket)) && failure() == null;
	}

	// Effects

	/**
	 * Determine the effects of the events so far. Called exactly once at the end of each
	 * event.
	 * @param unanswered see {@link Effects#unanswered()}
	 */
	private Effects takeEffects(@Nullable PendingRelease unanswered) {
		Command before = this.inFlight;
		Command command = nextCommand();
		if (this.waiters.isAnyDeparting()) {
			this.waiters.wakeDeparted(this::leavesStore);
		}
		List<Waiter> woken = this.waiters.decided();
		Ticket stray = this.pendingReleases.takeStray();
		boolean simple = woken.isEmpty() && stray == null && unanswered == null;
		Effects effects = !simple ? new Effects.Combined(command, woken, stray, unanswered)
				: (command != null) ? command : Effects.NONE;
		if (this.waiters != WaiterQueue.NONE) {
			this.waiters.clearDecided();
			this.waiters = this.waiters.isUnused() ? WaiterQueue.NONE : this.waiters;
		}
		if (command != null) {
			this.inFlight = command;
		}
		else if (this.live == null && this.inFlight == null && this.waiters.isEmpty() && this.pendingReleases.isEmpty()
				&& !this.removed) {
			this.removed = true;
			this.context.remove(this.key);
		}
		Invariants invariants = this.context.settings().invariants();
		if (invariants != null) {
			new Conditions(this, invariants).check(before);
		}
		return effects;
	}

	private @Nullable Command nextCommand() {
		if (this.inFlight instanceof Command.Attempt unwanted && this.waiters.isEmpty() && unwanted.withdraw()) {
			this.inFlight = null;
			if (this.live instanceof QueuedTicket queued) {
				queued.notSent(unwanted);
			}
		}
		if (this.inFlight != null) {
			return null;
		}
		if (this.live instanceof QueuedTicket unwanted && this.pendingReleases.isEmpty() && this.waiters.isEmpty()) {
			if (unwanted.asked) {
				ownReleases().cancel(unwanted, this.context.settings().clock().nanoTime());
			}
			this.live = null;
			// Not later, when the store has answered: another ticket must retry now.
			this.context.leftQueue();
		}
		PendingRelease leaving = this.pendingReleases.first();
		if (leaving != null) {
			return leaving.deferred ? null : sendRelease(leaving);
		}
		if (this.waiters.isEmpty()) {
			return null;
		}
		if (this.live == null) {
			this.live = newTicket(this.waiters.first());
		}
		return (this.live instanceof QueuedTicket queued) ? sendAttempt(queued) : null;
	}

	/** Attempt, if that is due. */
	private @Nullable Command sendAttempt(QueuedTicket queued) {
		queued.askFor(this.waiters.first().lease());
		if (!queued.due) {
			return null;
		}
		Command.Attempt attempt = new Command.Attempt(queued.ticket, queued.lease, !this.waiters.onlyTriesOnce());
		attempt.first = !queued.asked;
		queued.asked = true;
		queued.due = false;
		return attempt;
	}

	/** The first release of a holder queues the next waiter with the same command. */
	private Command sendRelease(PendingRelease pending) {
		if (pending.releasesLock && pending.sends == 0 && this.live == null && !this.waiters.isEmpty()) {
			QueuedTicket queued = newTicket(this.waiters.first());
			queued.asked = true;
			queued.due = false;
			this.live = queued;
			pending.next = new Successor(queued.ticket, queued.lease);
		}
		return pending.send((this.live != null) ? this.live.ticket : null);
	}

	private QueuedTicket newTicket(Waiter first) {
		return new QueuedTicket(this.context.newTicket(this.key, first), first.lease());
	}

	/** The invariants, as conditions of a state after an event. */
	private record Conditions(KeyState state, Invariants invariants) {

		/**
		 * Check them.
		 * @param before the command that was in flight before the next one was determined
		 */
		void check(@Nullable Command before) {
			LiveTicket live = this.state.live;
			Command inFlight = this.state.inFlight;
			PendingReleases leaving = this.state.pendingReleases;
			RetryTimer timer = this.state.retryTimer;
			boolean queued = live instanceof QueuedTicket;
			boolean waits = !this.state.waiters.isEmpty();
			boolean busy = inFlight != null || !leaving.isEmpty();
			holds(before == null || inFlight == before || before.isWithdrawn(), "One command is in flight at most");
			holds(live == null || !leaving.contains(live.ticket), "The live ticket is not among those that leave");
			holds(inFlight == before || !(inFlight instanceof Command.Attempt attempt)
					|| (leaving.isEmpty() && live != null && live.ticket.equals(attempt.ticket)),
					"Only the live ticket is attempted, after those before it have left");
			holds(!queued || waits || busy, "A queued ticket has a waiter, a command or a release before it");
			holds(!waits || live != null || busy, "A waiter has a ticket, a command or a release before it");
			holds((!queued && leaving.isEmpty()) || inFlight != null || (timer != null && timer.firesInTime()),
					"What waits or leaves has a command or a timer");
			holds(this.state.removed == (live == null && !busy && this.state.waiters.isUnused()),
					"A state that is not used is removed, and no other one");
		}

		private void holds(boolean condition, String invariant) {
			this.invariants.check(condition, invariant, this.state.key);
		}

	}

}
