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
import io.github.distlock.renewal.Lease;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.waiting.Holder;
import org.jspecify.annotations.Nullable;

/**
 * A held lock, from its first acquisition to its last release or its loss. All re-entries
 * share it.
 */
final class Hold extends Lease {

	private static final AtomicIntegerFieldUpdater<Hold> LEVELS = AtomicIntegerFieldUpdater.newUpdater(Hold.class,
			"levels");

	private static final AtomicReferenceFieldUpdater<Hold, Callback> CALLBACKS = AtomicReferenceFieldUpdater
		.newUpdater(Hold.class, Callback.class, "callbacks");

	/** Sentinel: the loss callbacks have run. */
	private static final Callback ALREADY_RUN = new Callback(() -> {
	}, null);

	private final Owner owner;

	private final String name;

	private final Holder holder;

	/**
	 * The thread that may re-enter the lock; {@code null} if it was acquired
	 * asynchronously.
	 */
	private final @Nullable Thread thread;

	/** Whether the lock is lost when that thread dies. */
	private final boolean endsWithThread;

	/** How many acquisitions are open. Never increases again after zero. */
	private volatile int levels = 1;

	/**
	 * How many of them came through a {@link LockView}, at most 65,535: a {@code char}
	 * keeps a held lock small. Only the owning thread reads and writes it.
	 */
	private char viewLevels;

	/** The last one that was added, linked to the earlier ones. */
	private volatile @Nullable Callback callbacks;

	/**
	 * Whether a thread is about to interrupt the owning thread because of a loss.
	 * Invariant: no interrupt arrives after the release of the last level has returned.
	 * The interrupting thread therefore sets this flag before it reads the levels, and
	 * the releasing thread reads it after it has left the last level.
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

	/** Return the object that releases this hold. */
	Owner owner() {
		return this.owner;
	}

	/** Ask the store, if only the store knows whether the lock is held. */
	boolean confirm() {
		this.owner.confirm(this);
		return isValid();
	}

	String key() {
		return ticket().key();
	}

	@Override
	protected String name() {
		return this.name;
	}

	Holder holder() {
		return this.holder;
	}

	@Nullable Thread thread() {
		return this.thread;
	}

	@Override
	protected TimeSource clock() {
		return this.owner.clock();
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
	protected boolean isKeepable() {
		return this.holder.isKeepable();
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
	 * Add a level.
	 * @return whether the hold was still open
	 * @throws LockDefinitionException if a reader would wait for itself
	 */
	boolean reenter(LockMode mode) {
		if (ticket().isReader() && mode != LockMode.READ && !isOver()) {
			throw new LockDefinitionException("Lock '" + key() + "' was requested in mode " + mode
					+ " by a caller that holds it in mode READ: it would wait for itself. Acquire WRITE first and READ"
					+ " inside it, or close the READ lock before");
		}
		return LEVELS.getAndUpdate(this, (open) -> (open > 0) ? open + 1 : 0) > 0;
	}

	/**
	 * Leave one level.
	 * @return whether it was the last one, so that the caller ends the hold
	 */
	boolean leaveLevel() {
		return LEVELS.decrementAndGet(this) == 0;
	}

	/**
	 * Interrupt the owning thread because the lock was lost, unless it has left the last
	 * level.
	 */
	void interruptThread() {
		Thread thread = this.thread;
		if (thread == null) {
			return;
		}
		this.interrupting = true;
		try {
			if (!isOver()) {
				thread.interrupt();
			}
		}
		finally {
			this.interrupting = false;
		}
	}

	/** After the last level was left: wait for an interrupt that has begun. */
	void awaitInterrupt() {
		while (this.interrupting) {
			Thread.onSpinWait();
		}
	}

	/** Return whether one acquisition is open and no re-entry. */
	boolean hasOneLevel() {
		return this.levels == 1;
	}

	/** Return how many acquisitions are open. */
	int levels() {
		return this.levels;
	}

	/** Return the mode in which the store has granted the lock. */
	LockMode mode() {
		return ticket().mode();
	}

	@Override
	protected boolean isEndedByOperator() {
		return this.owner.isEnded(this);
	}

	/** Return whether all levels have been left. */
	boolean isOver() {
		return this.levels == 0;
	}

	/**
	 * Count a level that came through a {@link LockView}.
	 * @throws Error if the maximum is exceeded
	 */
	void enterView() {
		if (this.viewLevels == Character.MAX_VALUE) {
			throw new Error("Maximum lock count exceeded");
		}
		this.viewLevels++;
	}

	/**
	 * Leave a level that came through a {@link LockView}.
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
	 * Add a callback for the loss.
	 * @return whether it was added; {@code false} if the loss callbacks have run
	 */
	boolean addLossCallback(Runnable action) {
		Callback last;
		do {
			last = this.callbacks;
			if (last == ALREADY_RUN) {
				return false;
			}
		}
		while (!CALLBACKS.compareAndSet(this, last, new Callback(action, last)));
		return true;
	}

	/**
	 * Remove and return the loss callbacks in the order in which they were added. None
	 * can be added afterwards.
	 */
	Iterable<Runnable> takeLossCallbacks() {
		Deque<Runnable> inOrder = new ArrayDeque<>();
		Callback last = CALLBACKS.getAndSet(this, ALREADY_RUN);
		for (; last != null && last != ALREADY_RUN; last = last.earlier()) {
			inOrder.addFirst(last.action());
		}
		return inOrder;
	}

	/**
	 * Releases holds, and is notified of their loss.
	 */
	interface Owner {

		/** The time source of all holds. */
		TimeSource clock();

		/**
		 * Release one level.
		 * @throws io.github.distlock.LockLostException if the lock was lost
		 */
		void release(Hold hold);

		/**
		 * Release one level of a lock under which no work was done.
		 * @throws io.github.distlock.LockLostException if the lock was lost
		 */
		void abandon(Hold hold);

		/**
		 * Limit the time for which the lock is held from now on.
		 * @throws io.github.distlock.LockLostException if the lock was lost
		 * @throws LockDefinitionException if the minimum hold time is longer
		 */
		void expireAfter(Hold hold, Duration leaseTime);

		/** Ask the store, if only the store knows whether the lock is held. */
		void confirm(Hold hold);

		/** Whether an operator has ended the grant under which a lock is held. */
		boolean isEnded(Hold hold);

		/** The lock was lost. Called once. */
		void lost(Hold hold, LossCause cause, String reason);

	}

	private record Callback(Runnable action, @Nullable Callback earlier) {
	}

}
