package io.github.distlock.registry;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LossCause;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.engine.Lease;
import io.github.distlock.engine.LeaseTerms;
import io.github.distlock.engine.Holder;
import io.github.distlock.engine.Holder.ReleaseObserver;
import org.jspecify.annotations.Nullable;

/**
 * A held lock, from its first acquisition to its last release or its loss. All re-entries
 * share it. If its minimum hold time has not passed at its last release, it is retained:
 * its lease goes on until then, without a caller.
 */
final class Hold extends Lease implements ReleaseObserver {

	private static final AtomicIntegerFieldUpdater<Hold> LEVELS = AtomicIntegerFieldUpdater.newUpdater(Hold.class,
			"levels");

	private static final AtomicReferenceFieldUpdater<Hold, Runnable[]> CALLBACKS = AtomicReferenceFieldUpdater
		.newUpdater(Hold.class, Runnable[].class, "callbacks");

	private static final Runnable[] NO_CALLBACKS = {};

	/** The lock was released and is retained: its end is no loss. */
	static final Runnable[] RETAINED = {};

	/** The loss is being reported. */
	private static final Runnable[] REPORTED = {};

	private final HeldLocks heldLocks;

	private final String label;

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
	 * How many of them came through a {@link LockView}. Only the owning thread reads and
	 * writes it.
	 */
	private int viewLevels;

	/**
	 * The callbacks for the loss, then {@link #RETAINED} or {@link #REPORTED}. Only
	 * compare-and-set changes it, so it decides whether the lock was released or lost if
	 * both happen at the same time.
	 */
	private volatile Runnable[] callbacks = NO_CALLBACKS;

	/**
	 * Whether a thread is about to interrupt the owning thread because of a loss.
	 * Invariant: no interrupt arrives after the release of the last level has returned.
	 * The interrupting thread therefore sets this flag before it reads the levels, and
	 * the releasing thread reads it after it has left the last level.
	 */
	private volatile boolean interrupting;

	Hold(HeldLocks heldLocks, String label, Holder holder, LeaseTerms terms, @Nullable Thread thread,
			boolean endsWithThread) {
		super(holder.takeValidity(), terms, heldLocks.clock());
		this.heldLocks = heldLocks;
		this.label = label;
		this.holder = holder;
		this.thread = thread;
		this.endsWithThread = endsWithThread;
	}

	/** Return the held locks to which this one belongs. */
	HeldLocks heldLocks() {
		return this.heldLocks;
	}

	String key() {
		return ticket().key();
	}

	String label() {
		return this.label;
	}

	Holder holder() {
		return this.holder;
	}

	@Nullable Thread thread() {
		return this.thread;
	}

	@Override
	protected @Nullable String name() {
		return isRetained() ? null : this.label;
	}

	@Override
	protected TimeSource clock() {
		return this.heldLocks.clock();
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

	@Override
	protected boolean isEndedByOperator() {
		return this.heldLocks.isEnded(this);
	}

	@Override
	protected void lost(LossCause cause) {
		this.heldLocks.lost(this, cause);
	}

	@Override
	public void gone() {
		this.heldLocks.goneAfterRelease(this);
	}

	@Override
	public void unanswered() {
		this.heldLocks.warnUnanswered(this);
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

	/** Return how many acquisitions are open. */
	int levels() {
		return this.levels;
	}

	/** Return whether all levels have been left. */
	boolean isOver() {
		return this.levels == 0;
	}

	/** Return the mode in which the store has granted the lock. */
	LockMode mode() {
		return ticket().mode();
	}

	/** Count a level that came through a {@link LockView}. */
	void enterView() {
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
	 * @return whether it was added; {@code false} if the loss has been reported
	 */
	boolean addLossCallback(Runnable action) {
		return CALLBACKS.getAndUpdate(this,
				(added) -> (added == RETAINED || added == REPORTED) ? added : with(added, action)) != REPORTED;
	}

	private static Runnable[] with(Runnable[] added, Runnable action) {
		Runnable[] all = Arrays.copyOf(added, added.length + 1);
		all[added.length] = action;
		return all;
	}

	/**
	 * Remove and return the loss callbacks in the order in which they were added. None
	 * can be added afterwards.
	 * @return the callbacks, {@link #RETAINED} if the lock was retained before
	 */
	Runnable[] takeLossCallbacks() {
		return CALLBACKS.getAndSet(this, REPORTED);
	}

	/**
	 * After the last level was left: retain the lock. A later loss concerns no caller.
	 * @return whether no loss has been reported before
	 */
	boolean retain() {
		return CALLBACKS.getAndUpdate(this, (added) -> (added != REPORTED) ? RETAINED : added) != REPORTED;
	}

	boolean isRetained() {
		return this.callbacks == RETAINED;
	}

}
