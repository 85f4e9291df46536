package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LossCause;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import io.github.distlock.renewal.Lease;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.waiting.Holder;
import org.jspecify.annotations.Nullable;

/**
 * One stay inside a lock: from the outermost acquisition to the last release, or to the
 * loss. All re-entries share it.
 */
class Hold extends Lease {

	private static final AtomicIntegerFieldUpdater<Hold> LEVELS = AtomicIntegerFieldUpdater.newUpdater(Hold.class,
			"levels");

	private static final AtomicReferenceFieldUpdater<Hold, Callback> CALLBACKS = AtomicReferenceFieldUpdater
		.newUpdater(Hold.class, Callback.class, "callbacks");

	/** Stands for the callbacks when the loss has been told. */
	private static final Callback RUN = new Callback(() -> {
	}, null);

	private final Owner owner;

	private final String name;

	private final Holder holder;

	/** Who may re-enter; {@code null} for an asynchronous holder. */
	private final @Nullable Thread thread;

	/** Whether the lock is lost when that thread dies. */
	private final boolean endsWithThread;

	/** How many acquisitions are open; at zero it never rises again. */
	private volatile int levels = 1;

	/**
	 * How many of them came through a Lock view, 65,535 at most: a held lock stays small.
	 * Only the owning thread touches it.
	 */
	private char viewLevels;

	/** The last one first. */
	private volatile @Nullable Callback callbacks;

	/**
	 * Whether the thread is being interrupted because of a loss. Invariant: no interrupt
	 * comes after the last level was left and that call has returned. Set before the
	 * levels are looked at, and looked at after the last level was left.
	 */
	private volatile boolean interrupting;

	Hold(Owner owner, String name, Holder holder, LeaseTerms terms, TimeSource clock, @Nullable Thread thread,
			boolean endsWithThread) {
		super(holder.takeValidity(), terms, clock);
		this.owner = owner;
		this.name = name;
		this.holder = holder;
		this.thread = thread;
		this.endsWithThread = endsWithThread;
	}

	/** What this hold belongs to: all that the registry holds. */
	Owner owner() {
		return this.owner;
	}

	/** The lease that counts now: another one if the lock is held in another way. */
	Hold current() {
		return this;
	}

	/** The stay to which this lease belongs, with its levels and callbacks. */
	Hold origin() {
		return this;
	}

	/** What is left of the lock, in nanoseconds; zero if it is not held. */
	long remainingLockNanos() {
		return remainingNanos();
	}

	/** Ask the store, if only the store knows whether the lock is held. */
	boolean confirm() {
		this.owner.confirm(current());
		return remainingLockNanos() > 0;
	}

	/** Whether the lock has not been lost, whether or not it is still held. */
	boolean isIntactNow() {
		return current().isIntact();
	}

	String key() {
		return ticket().key();
	}

	String name() {
		return this.name;
	}

	Holder holder() {
		return this.holder;
	}

	@Nullable Thread thread() {
		return this.thread;
	}

	@Override
	protected Ticket ticket() {
		return this.holder.ticket();
	}

	@Override
	protected long lastToken() {
		return this.holder.lastToken();
	}

	@Override
	protected @Nullable Thread owningThread() {
		return this.endsWithThread ? this.thread : null;
	}

	boolean endsWithThread() {
		return this.endsWithThread;
	}

	@Override
	protected void lost(LossCause cause, String reason) {
		this.owner.lost(this, cause, reason);
	}

	/**
	 * Enter once more.
	 * @return whether the hold was still open
	 * @throws LockDefinitionException if a reader would wait for itself
	 */
	boolean reenter(LockMode mode) {
		if (ticket().isReader() && mode != LockMode.READ && !isOver()) {
			throw upgrade(mode);
		}
		return LEVELS.getAndUpdate(this, (open) -> (open > 0) ? open + 1 : 0) > 0;
	}

	/**
	 * Leave one level.
	 * @param mode in which it was entered
	 */
	OpenLevels leave(LockMode mode) {
		return (LEVELS.decrementAndGet(this) == 0) ? OpenLevels.NOTHING : OpenLevels.SOME;
	}

	/** The lock is lost: interrupt its thread, unless that has left. */
	final void interruptThread() {
		Thread inside = this.thread;
		if (inside == null) {
			return;
		}
		this.interrupting = true;
		try {
			if (!isOver()) {
				inside.interrupt();
			}
		}
		finally {
			this.interrupting = false;
		}
	}

	/** The last level was left: an interrupt that has begun comes before this returns. */
	final void awaitInterrupt() {
		while (this.interrupting) {
			Thread.onSpinWait();
		}
	}

	/** Whether one acquisition is open, and no re-entry. */
	boolean isEnteredOnce() {
		return this.levels == 1;
	}

	/** How many acquisitions are open. */
	int levels() {
		return this.levels;
	}

	/** The mode in which the store has granted the lock. */
	LockMode mode() {
		return ticket().isReader() ? LockMode.READ : LockMode.EXCLUSIVE;
	}

	final HeldLockSnapshot snapshot() {
		Hold stay = origin();
		return new HeldLockSnapshot(key(), this.name, mode(), this.holder.fencingToken(),
				Duration.ofNanos(stay.heldNanos()), Duration.ofNanos(stay.remainingLockNanos()),
				Math.max(0, stay.levels() - 1));
	}

	/** Whether all levels have been left. */
	boolean isOver() {
		return this.levels == 0;
	}

	final LockDefinitionException upgrade(LockMode mode) {
		return new LockDefinitionException("Lock '" + key() + "' is asked for in mode " + mode + " by a thread that "
				+ "holds it in mode READ: it would wait for itself. Ask for WRITE first and for READ inside, or close "
				+ "READ before");
	}

	/**
	 * Count one level that came through a Lock view.
	 * @throws Error if there are as many as can be counted
	 */
	void enterView() {
		if (this.viewLevels == Character.MAX_VALUE) {
			throw new Error("Maximum lock count exceeded");
		}
		this.viewLevels++;
	}

	/**
	 * Leave one level that came through a Lock view.
	 * @return whether there was one
	 */
	boolean leaveView() {
		if (this.viewLevels == 0) {
			return false;
		}
		this.viewLevels--;
		return true;
	}

	/**
	 * Keep a callback for the loss.
	 * @return whether it was kept; otherwise the loss has been told before
	 */
	boolean keep(Runnable action) {
		Callback kept;
		do {
			kept = this.callbacks;
			if (kept == RUN) {
				return false;
			}
		}
		while (!CALLBACKS.compareAndSet(this, kept, new Callback(action, kept)));
		return true;
	}

	/** Those kept, the first one first; from now on none is. */
	Iterable<Runnable> takeCallbacks() {
		Deque<Runnable> taken = new ArrayDeque<>();
		Callback kept = CALLBACKS.getAndSet(this, RUN);
		for (; kept != null && kept != RUN; kept = kept.earlier()) {
			taken.addFirst(kept.action());
		}
		return taken;
	}

	/**
	 * Ends holds, and is notified of their loss.
	 */
	interface Owner {

		/**
		 * Leave one level.
		 * @param mode in which it was entered
		 * @throws io.github.distlock.LockLostException if the lock was lost
		 */
		void leave(Hold stay, LockMode mode);

		/**
		 * Leave one level of a lock under which nothing was done.
		 * @param mode in which it was entered
		 * @throws io.github.distlock.LockLostException if the lock was lost
		 */
		void abandon(Hold stay, LockMode mode);

		/**
		 * Limit the time for which the lock is held from now on.
		 * @throws io.github.distlock.LockLostException if the lock was lost
		 * @throws LockDefinitionException if the lock must be held for longer
		 */
		void expireAfter(Hold hold, Duration leaseTime);

		/** Ask the store, if only the store knows whether the lock is held. */
		void confirm(Hold hold);

		/** The hold was lost. Called once. */
		void lost(Hold hold, LossCause cause, String reason);

	}

	/**
	 * What is left of a stay after one of its levels was left.
	 */
	enum OpenLevels {

		/** It goes on as it was. */
		SOME,

		/** Nobody writes any more, but somebody reads: the caller downgrades it. */
		READERS,

		/** It is over: the caller ends it. */
		NOTHING

	}

	private record Callback(Runnable action, @Nullable Callback earlier) {
	}

}
