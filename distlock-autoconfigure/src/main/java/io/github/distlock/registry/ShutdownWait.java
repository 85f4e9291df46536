package io.github.distlock.registry;

import java.util.concurrent.TimeUnit;

import io.github.distlock.backend.BackendDescription;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.waiting.LockAcquirer;
import io.github.distlock.waiting.UnfinishedWork;

/**
 * Waits during a shutdown until no lock is held and no command is under way, or until
 * waiting longer is of no use.
 * <p>
 * This polls. Work is finished in many places of two packages, some of them under the
 * lock of a key; a single signal that is missed there would make the shutdown take the
 * whole grace period. Its time passes although a manual clock stands still while this
 * thread waits.
 */
final class ShutdownWait {

	/** How long a command may take if the store does not specify it. */
	static final long DEFAULT_COMMAND_NANOS = TimeUnit.SECONDS.toNanos(2);

	private static final long POLL_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final EngineEnvironment environment;

	private final HeldLocks heldLocks;

	private final LockAcquirer acquirer;

	private final long commandNanos;

	ShutdownWait(BackendDescription store, HeldLocks heldLocks, LockAcquirer acquirer, EngineEnvironment environment) {
		this.environment = environment;
		this.heldLocks = heldLocks;
		this.acquirer = acquirer;
		long timeoutNanos = store.strayDelay().toNanos();
		this.commandNanos = (timeoutNanos > 0) ? timeoutNanos : DEFAULT_COMMAND_NANOS;
	}

	/**
	 * Wait, and return early if the thread is interrupted.
	 * @return what is unfinished
	 */
	UnfinishedWork await(long graceNanos) {
		long start = this.environment.waitingNanos();
		long lastHold = start;
		while (true) {
			UnfinishedWork unfinished = this.heldLocks.unfinished();
			long now = this.environment.waitingNanos();
			if (unfinished == UnfinishedWork.HELD_LOCKS) {
				lastHold = now;
			}
			boolean settled = unfinished == UnfinishedWork.NOTHING || unfinished == UnfinishedWork.RETRIES;
			boolean graceOver = now - start
					- graceNanos >= (this.acquirer.releases().isAnyUnanswered() ? this.commandNanos : 0);
			if (settled || graceOver || now - lastHold >= this.commandNanos) {
				return unfinished;
			}
			this.environment.park(this, POLL_INTERVAL_NANOS);
			if (Thread.currentThread().isInterrupted()) {
				return unfinished;
			}
		}
	}

}
