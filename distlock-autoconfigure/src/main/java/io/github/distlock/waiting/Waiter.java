package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockOutcome;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.environment.EngineEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * One caller in the local queue of a key. Its outcome is decided once, under the lock of
 * the {@link KeyQueue}. After that {@link #wake()} must be called, without that lock. One
 * exception: while a waiter is departing, a failure may replace its time-out.
 */
abstract class Waiter {

	/** Waits of centuries have no deadline: the monotonic clock cannot express it. */
	private static final Duration ENDLESS = Duration.ofNanos(Long.MAX_VALUE / 4);

	private final WaitRequest request;

	private final boolean endless;

	private final long deadlineNanos;

	/** Written under the lock of the queue, read without. */
	private volatile @Nullable Outcome outcome;

	/**
	 * The ticket that has to leave the store before the waiter returns. Written under the
	 * same lock, and before the outcome, so that a caller sees both.
	 */
	private volatile @Nullable Ticket departing;

	/**
	 * Where this waiter is counted, {@code null} if it is not. Guarded by the lock of the
	 * queue.
	 */
	@Nullable WaiterCounts counts;

	Waiter(WaitRequest request, long nowNanos) {
		this.request = request;
		this.endless = request.waitTime().isNegative() || request.waitTime().isZero()
				|| request.waitTime().compareTo(ENDLESS) > 0;
		this.deadlineNanos = this.endless ? 0 : nowNanos + request.waitTime().toNanos();
	}

	WaitRequest request() {
		return this.request;
	}

	/** Whether one answer of the store, whatever it is, ends the wait. */
	boolean triesOnce() {
		return this.request.waitTime().isZero();
	}

	/** Whether there is no deadline: the wait has no end, or one answer ends it. */
	boolean isEndless() {
		return this.endless;
	}

	long remainingNanos(long nowNanos) {
		return this.deadlineNanos - nowNanos;
	}

	@Nullable Outcome outcome() {
		return this.outcome;
	}

	void decide(Outcome decided) {
		this.outcome = decided;
	}

	/** Whether the waiter has given up and its ticket is still in the store. */
	boolean isDeparting() {
		return this.departing != null;
	}

	/** The ticket that has to leave the store first. */
	@Nullable Ticket departingTicket() {
		return this.departing;
	}

	/** The waiter gives up, and returns when this ticket has left the store. */
	void startDeparting(Ticket ticket) {
		this.departing = ticket;
	}

	/** The ticket has left, or will not leave soon: the waiter may return. */
	void departed() {
		this.departing = null;
	}

	/**
	 * Whether this is the running thread, which need not be woken: it reads the outcome
	 * before it parks.
	 */
	boolean isAwake() {
		return false;
	}

	/** Notify the caller that the outcome is decided. Does not block. */
	abstract void wake();

	/**
	 * How a wait ended.
	 */
	sealed interface Outcome {

		record Success(Holder holder) implements Outcome {
		}

		record Failure(LockBackendException cause) implements Outcome {

			/**
			 * Several callers may fail for one reason: each gets its own exception, with
			 * the cause of the common one, whose text would only repeat its own.
			 */
			LockBackendException forCaller() {
				return new LockBackendException(String.valueOf(this.cause.getMessage()), this.cause.getCause());
			}

		}

		/**
		 * The wait time has passed, or too many callers wait.
		 *
		 * @param reason which of the two
		 * @param holder what held the lock last, if known
		 */
		record Refused(LockOutcome reason, @Nullable StoredHolder holder) implements Outcome {
		}

		/** The caller ended the wait. */
		record GaveUp() implements Outcome {
		}

	}

	/**
	 * A thread that waits, parked.
	 */
	static final class ThreadWaiter extends Waiter {

		private final Thread thread = Thread.currentThread();

		private final long startNanos;

		private final EngineEnvironment environment;

		ThreadWaiter(WaitRequest request, long nowNanos, EngineEnvironment environment) {
			super(request, nowNanos);
			this.startNanos = nowNanos;
			this.environment = environment;
		}

		/** When the caller asked for the lock. */
		long startNanos() {
			return this.startNanos;
		}

		@Override
		boolean isAwake() {
			return this.thread == Thread.currentThread();
		}

		@Override
		void wake() {
			// A permit would end the next park of a thread that is awake.
			if (!isAwake()) {
				this.environment.unpark(this.thread);
			}
		}

	}

	/**
	 * A future that waits, without a thread. It completes on a callback thread, never on
	 * the thread that decided, which may belong to the client of the store.
	 */
	static final class FutureWaiter extends Waiter {

		private final CompletableFuture<@Nullable Outcome> future = new CompletableFuture<>();

		private final TaskRunner tasks;

		FutureWaiter(WaitRequest request, long nowNanos, TaskRunner tasks) {
			super(request, nowNanos);
			this.tasks = tasks;
		}

		CompletableFuture<@Nullable Outcome> future() {
			return this.future;
		}

		@Override
		void wake() {
			this.tasks.callBack(() -> this.future.complete(outcome()));
		}

	}

}
