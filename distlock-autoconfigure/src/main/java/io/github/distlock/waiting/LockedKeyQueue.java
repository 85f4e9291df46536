package io.github.distlock.waiting;

import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one key in the waiting room: a {@link KeyQueue} and the lock that guards
 * it. Each event is one short critical section; nothing is sent and nobody is woken under
 * the lock, the {@link Effects} say what to do afterwards.
 * <p>
 * KeyQueues may share a lock, so that a held lock needs none of its own: therefore no
 * other queue may be told anything under it. Nothing that a state may call does so: its
 * {@link KeyQueueContext} change maps, and leave everything else to other threads.
 */
final class LockedKeyQueue implements CommandTarget {

	private final Lock lock;

	private final String key;

	private final KeyQueue state;

	/**
	 * Create a queue.
	 * @param lock guards it, and perhaps others
	 */
	LockedKeyQueue(String key, Lock lock, KeyQueueContext context) {
		this.lock = lock;
		this.key = key;
		this.state = new KeyQueue(this, context);
	}

	@Override
	public String key() {
		return this.key;
	}

	/**
	 * Add a caller to the local queue.
	 * @return what follows, or {@code null} if this queue has been removed
	 */
	@Nullable Effects join(Waiter waiter) {
		return ifKnown(() -> this.state.join(waiter));
	}

	/**
	 * Begin as one who keeps the lock as a reader: what this queue would send is sent by
	 * a writer's release.
	 */
	PendingDowngrade prepareDowngrade(DowngradeWaiter waiter) {
		Effects effects = join(waiter);
		if (effects == null || !(effects.command() instanceof Command.Attempt attempt)) {
			throw new IllegalStateException("Not a new queue: " + this.key);
		}
		return new PendingDowngrade(this, attempt);
	}

	/**
	 * A caller gives up.
	 * @return what follows, or {@code null} if its outcome had been decided before
	 */
	@Nullable Effects giveUp(Waiter waiter, boolean timedOut) {
		return ifKnown(() -> this.state.giveUp(waiter, timedOut));
	}

	/**
	 * The holder leaves and the next one of this JVM enters, if that may be.
	 * @param validity until when the grant counts by now
	 * @return what follows, or {@code null} if the lock must go back to the store
	 */
	@Nullable Effects tryHandOff(Holder holder, Validity validity) {
		return ifKnown(() -> this.state.tryHandOff(holder, validity));
	}

	/**
	 * The holder leaves.
	 * @return what follows, or {@code null} if this one does not hold any more
	 */
	@Nullable Effects release(Holder holder, long giveUpNanos) {
		return release(holder, giveUpNanos, null);
	}

	/**
	 * The holder leaves, and somebody else keeps the lock as a reader.
	 * @return what follows, or {@code null} if this one does not hold any more
	 */
	@Nullable Effects release(Holder holder, long giveUpNanos, @Nullable PendingDowngrade downgrade) {
		return ifKnown(() -> this.state.release(holder, giveUpNanos, downgrade));
	}

	/**
	 * A message says that a ticket was granted.
	 * @return what follows, or {@code null} if nobody here knows the ticket
	 */
	@Nullable Effects granted(Ticket ticket, Grant grant) {
		return ifKnown(() -> this.state.granted(ticket, grant));
	}

	Effects retry(@Nullable Ticket ticket) {
		return after(() -> this.state.retry(ticket));
	}

	Effects failWaiters(LockBackendException cause) {
		return after(() -> this.state.failWaiters(cause));
	}

	@Override
	public Effects attemptAnswered(Command.Attempt attempt, AttemptResult result) {
		return after(() -> this.state.attemptAnswered(attempt, result));
	}

	@Override
	public Effects attemptFailed(Command.Attempt attempt, LockBackendException cause) {
		return after(() -> this.state.attemptFailed(attempt, cause));
	}

	@Override
	public Effects releaseAnswered(PendingRelease pending, @Nullable ReleaseResult result) {
		return after(() -> this.state.releaseAnswered(pending, result));
	}

	@Override
	public Effects releaseFailed(PendingRelease pending, LockBackendException cause) {
		return after(() -> this.state.releaseFailed(pending, cause));
	}

	@Override
	public Effects recover(Command command) {
		return after(() -> this.state.recover(command));
	}

	@Override
	public Effects retryAll() {
		return after(this.state::retryAll);
	}

	@Override
	public Effects timerFired() {
		return after(this.state::timerFired);
	}

	KeySnapshot snapshot() {
		this.lock.lock();
		try {
			return this.state.snapshot();
		}
		finally {
			this.lock.unlock();
		}
	}

	UnfinishedWork unfinished() {
		this.lock.lock();
		try {
			return this.state.unfinished();
		}
		finally {
			this.lock.unlock();
		}
	}

	private Effects after(Runnable event) {
		this.lock.lock();
		try {
			event.run();
			return this.state.takeEffects();
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable Effects ifKnown(BooleanSupplier event) {
		this.lock.lock();
		try {
			return event.getAsBoolean() ? this.state.takeEffects() : null;
		}
		finally {
			this.lock.unlock();
		}
	}

}
