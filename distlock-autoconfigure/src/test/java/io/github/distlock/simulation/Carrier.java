package io.github.distlock.simulation;

import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

/**
 * A platform thread that runs simulated threads, one after the other. It waits for the
 * baton unless its simulated thread has it. Carriers are used again by later histories.
 */
final class Carrier extends Thread {

	/**
	 * A thread-local variable may refer to a lock that its thread never closed, and that
	 * to a whole history: a carrier that ends frees them.
	 */
	private static final int MOST_RUNS = 100;

	private final Semaphore baton = new Semaphore(0);

	/** The simulated thread that it runs; only changed by the thread with the baton. */
	@Nullable SimulatedThread running;

	/** The scheduler whose threads it runs now. */
	@Nullable Scheduler scheduler;

	/** An interrupt of a thread that waits for the baton: it is set when that comes. */
	private boolean interruptPending;

	Carrier(int number) {
		super(null, null, "simulation-" + number, 1 << 19, false);
		setDaemon(true);
	}

	/** How often it was taken from the idle ones; only changed with the baton. */
	int runs;

	private boolean ends;

	/** Give this thread the baton. The caller must wait for it then. */
	void pass() {
		this.baton.release();
	}

	/** Wait for the baton. The interrupt status is kept. */
	void await() {
		this.baton.acquireUninterruptibly();
		if (this.interruptPending) {
			this.interruptPending = false;
			super.interrupt();
		}
	}

	/**
	 * Interrupt the simulated thread that this carrier runs. Only the thread with the
	 * baton calls it. The status of another thread is set when that thread goes on, so
	 * that its wait for the baton is not disturbed.
	 */
	@Override
	public void interrupt() {
		if (Thread.currentThread() == this) {
			super.interrupt();
			return;
		}
		this.interruptPending = true;
		if (this.scheduler != null && this.running != null) {
			this.scheduler.interrupted(this.running);
		}
	}

	@Override
	public boolean isInterrupted() {
		return this.interruptPending || super.isInterrupted();
	}

	/** Return whether this thread runs others later; it calls that itself. */
	boolean staysAfterThis() {
		this.ends = this.runs >= MOST_RUNS;
		return !this.ends;
	}

	@Override
	public void run() {
		while (!this.ends) {
			await();
			Scheduler current = this.scheduler;
			if (current != null) {
				current.runOn(this);
			}
		}
	}

}
