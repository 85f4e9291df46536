package io.github.distlock.simulation;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * One call for a lock, and what became of it: what the caller saw, and what the listener
 * was told.
 */
final class Call {

	static final long NEVER = Long.MAX_VALUE;

	/** A retained lock lasts longer by this and by two percent. */
	private static final long RETAINED = Duration.ofMillis(10).toNanos();

	/** Which method of the public API is called. */
	enum How {

		ACQUIRE, TRY, VIEW, ASYNC, TRY_ASYNC

	}

	enum End {

		ENTERED, TIMED_OUT, REFUSED, INTERRUPTED, CANCELLED, STORE_FAILED, ERROR

	}

	final SimulatedJvm jvm;

	final int place;

	/** Names the call in the events of listeners, but not if it has no name there. */
	final String label;

	final How how;

	final LockRequest request;

	/** Random choices after the call has begun. */
	final Random dice;

	long started = NEVER;

	/** When the listener was told that the call waits, and that it no longer does. */
	long waiting = NEVER;

	long waitingEnded = NEVER;

	/** When the listener was told that the call has its lock. */
	long granted = NEVER;

	/** When the call returned or its future was completed, in whatever way. */
	long answered = NEVER;

	long left = NEVER;

	/**
	 * From when on the store may have lost the grant, from which local hand-offs come.
	 */
	long asked = NEVER;

	/** When the turn of its JVM began, and how many tokens of that were used before. */
	long turnStarted = NEVER;

	long turnTokens;

	/** How long its grant was valid when it entered. */
	long remaining = Long.MAX_VALUE;

	long token;

	HandOff handOff = HandOff.NONE;

	@Nullable End end;

	@Nullable LockOutcome reported;

	int reports;

	int releases;

	int losses;

	LockListener.@Nullable Lost lost;

	/** How often it was reported as at risk, and as no longer so. */
	int risks;

	int risksEnded;

	/** How often the callback for the loss ran; negative if there is none. */
	int callbacks = -1;

	/** What the caller holds, once it has entered. */
	@Nullable HeldLock lock;

	/** Of a call by a lock view, whose handle is a re-entry. */
	@Nullable Lock view;

	@Nullable CompletableFuture<?> future;

	/** Whether its lock has a limit besides the watchdog. */
	boolean limited;

	/** Whether its lease was changed while it was held. */
	boolean changed;

	/** Whether it was held when its caller entered. */
	boolean valid;

	boolean abandoned;

	/** Whether its caller has begun to close it, when, and whether the store held it. */
	boolean leaving;

	long leavingSince = NEVER;

	boolean storedBefore;

	/** How many commands for its key its JVM had sent when it began, and at its end. */
	int commandsBefore;

	int commandsAtEnd;

	@Nullable Throwable closeFailure;

	boolean cancelled;

	/** Whether its lock was seen to be lost. */
	boolean foundLost;

	boolean interrupted;

	/** Whether its thread enters the lock again now. */
	boolean reentering;

	/** Whether its caller waits until it is over. */
	boolean awaited;

	/** Whether nothing more happens to it. */
	boolean over;

	Call(SimulatedJvm jvm, int place, String label, How how, LockRequest request, Random dice) {
		this.jvm = jvm;
		this.place = place;
		this.label = label;
		this.how = how;
		this.request = (how == How.VIEW) ? request : request.name(label);
		this.dice = dice;
		this.limited = request.leaseTime() != null;
	}

	/** How it ended if it returned without a lock and without an exception. */
	End endWithoutLock() {
		return (this.reported == LockOutcome.TOO_MANY_WAITING) ? End.REFUSED : End.TIMED_OUT;
	}

	/** How many callers of its JVM may wait, itself included. */
	int maxWaiting(Plan plan) {
		Integer own = this.request.maxWaiting();
		return (own != null) ? own : plan.maxWaiting();
	}

	String key() {
		return this.request.key();
	}

	boolean isAsync() {
		return this.how == How.ASYNC || this.how == How.TRY_ASYNC;
	}

	/** The wait time in nanoseconds, negative without a limit. */
	long waitNanos() {
		Duration wait = this.request.waitTime();
		return (wait != null) ? wait.toNanos() : -1;
	}

	/** Whether it asked for a lease that may end before so many nanoseconds are over. */
	boolean leaseEndsWithin(long nanos) {
		Duration lease = this.request.leaseTime();
		return lease != null && lease.toNanos() < nanos;
	}

	/**
	 * Whether its lease, or the little that is left of it after a minimum hold time, may
	 * end in the store before its release has come there.
	 * @param packets how long that takes
	 */
	boolean mayEndBeforeItsRelease(long packets) {
		Duration minHold = this.request.minHold();
		boolean retained = minHold != null && minHold.dividedBy(50).toNanos() + RETAINED < packets;
		return retained || leaseEndsWithin(packets);
	}

	/** Whether it has a ticket of its own in the store, not shared with its JVM. */
	boolean hasOwnPlace() {
		return this.request.fair() || this.request.mode() == LockMode.READ;
	}

	boolean reads() {
		return this.request.mode() == LockMode.READ;
	}

	/** How many callers may hold the lock at once when it enters. */
	int permits() {
		Integer permits = this.request.permits();
		return (permits != null) ? permits : Integer.MAX_VALUE;
	}

	/** Whether it overlaps the time from a moment until now. */
	boolean overlaps(long since) {
		long end = (this.end == End.ENTERED) ? this.left : this.answered;
		return end == NEVER || end >= since;
	}

	boolean isInside() {
		return this.end == End.ENTERED && this.left == NEVER;
	}

	@Override
	public String toString() {
		return this.label + " (" + this.how + " " + this.request.mode() + (this.request.fair() ? " fair" : "")
				+ ((this.request.permits() != null) ? " of " + this.request.permits() : "")
				+ ((this.token != 0) ? " token " + this.token : "") + ")";
	}

}
