package io.github.distlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.environment.EngineEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * One caller that waits for a key. Its outcome is decided once, under the lock of the
 * {@link KeyState}. After that {@link #wake()} must be called, without that lock. One
 * exception: while a waiter is departing, a failure may replace its time-out.
 */
public abstract class Waiter {

	/** Longer waits have no deadline: they would overflow nanoseconds. */
	private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE / 4);

	/** That of the lock which the caller will hold. */
	private final HoldContext context;

	private final LockRequest request;

	/** How long the caller may hold the lock. */
	private final LeaseTerms terms;

	/** How many callers of this JVM may wait for the key, this one included. */
	final int maxWaiting;

	private final boolean triesOnce;

	/** Whether there is no deadline: the wait has no end, or one answer ends it. */
	private final boolean endless;

	private final long deadlineNanos;

	/** Written under the lock of the key state, read without. */
	private volatile @Nullable WaitOutcome outcome;

	/**
	 * The ticket that has to leave the store before the waiter returns. Written under the
	 * same lock, and before the outcome, so that a caller sees both.
	 */
	private volatile @Nullable Ticket departing;

	/**
	 * Where this waiter is counted, {@code null} if it is not. Guarded by the lock of the
	 * key state.
	 */
	@Nullable WaiterCounts counts;

	Waiter(HoldContext context, LockRequest request, LeaseTerms terms, Duration waitTime, int maxWaiting,
			long startNanos) {
		this.context = context;
		this.request = request;
		this.terms = terms;
		this.maxWaiting = maxWaiting;
		this.triesOnce = waitTime.isZero();
		this.endless = this.triesOnce || waitTime.isNegative() || waitTime.compareTo(LONGEST_WAIT) > 0;
		this.deadlineNanos = this.endless ? 0 : startNanos + waitTime.toNanos();
	}

	/**
	 * Return whether a caller has its own ticket, which is not handed off inside the JVM.
	 * Fair callers have one, to keep the order over all JVMs. Readers have one, since
	 * they hold the lock at the same time and each has a lease.
	 * @param request what the caller asks for
	 * @return whether no other caller shares the ticket
	 */
	public static boolean hasOwnTicket(LockRequest request) {
		return request.fair() || request.mode() == LockMode.READ;
	}

	boolean hasOwnTicket() {
		return hasOwnTicket(this.request);
	}

	boolean isFair() {
		return this.request.fair();
	}

	String key() {
		return this.request.key();
	}

	LockMode mode() {
		return this.request.mode();
	}

	/** How many callers may hold the lock at once, 0 without a limit. */
	int permits() {
		Integer permits = this.request.permits();
		return (permits != null) ? permits : 0;
	}

	/** The lease to ask the store for. */
	Duration lease() {
		return this.terms.storeLease();
	}

	/**
	 * Return whether one answer of the store, whatever it is, ends the wait.
	 * @return whether the wait time is zero
	 */
	public boolean triesOnce() {
		return this.triesOnce;
	}

	/**
	 * Return the rest of the wait time.
	 * @param nowNanos now, by the monotonic clock
	 * @return nanoseconds, {@link Long#MAX_VALUE} if there is no deadline
	 */
	public long remainingNanos(long nowNanos) {
		return this.endless ? Long.MAX_VALUE : this.deadlineNanos - nowNanos;
	}

	/**
	 * Return how the wait ended.
	 * @return the outcome, {@code null} while it is not decided
	 */
	public @Nullable WaitOutcome outcome() {
		return this.outcome;
	}

	/**
	 * Create the hold of the caller.
	 * @param before the ticket that waited for the grant, or the hold before
	 */
	Hold newHold(LiveTicket before, Grant grant) {
		return new Hold(before, grant, this.context, this.request.label(), this.terms, thread(), ofView());
	}

	void decide(WaitOutcome decided) {
		this.outcome = decided;
	}

	/**
	 * Return whether the waiter has given up and its ticket is still in the store. It
	 * returns to its caller when the ticket has left, or after one command time-out.
	 * @return whether it has to wait for that
	 */
	public boolean isDeparting() {
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
	 * The thread that waits, and may re-enter the lock; {@code null} if a future waits.
	 */
	@Nullable Thread thread() {
		return null;
	}

	/** Whether the caller is a {@link java.util.concurrent.locks.Lock} view. */
	boolean ofView() {
		return false;
	}

	/**
	 * Whether this is the running thread, which need not be woken: it reads the outcome
	 * before it parks.
	 */
	boolean isAwake() {
		return thread() == Thread.currentThread();
	}

	/** Notify the caller that the outcome is decided. Does not block. */
	abstract void wake();

	/**
	 * A thread that waits, parked.
	 */
	public static final class ThreadWaiter extends Waiter {

		private final Thread thread = Thread.currentThread();

		private final boolean ofView;

		private final EngineEnvironment environment;

		/**
		 * Create a waiter for the calling thread.
		 * @param context that of the lock which the caller will hold
		 * @param request what the caller asks for
		 * @param terms how long the caller may hold the lock
		 * @param waitTime how long to wait: zero tries once, negative waits without a
		 * limit
		 * @param maxWaiting how many callers of this JVM may wait for the key
		 * @param startNanos when the wait began, by the monotonic clock
		 * @param ofView whether the caller is a {@link java.util.concurrent.locks.Lock}
		 * view
		 * @param environment wakes the thread
		 */
		public ThreadWaiter(HoldContext context, LockRequest request, LeaseTerms terms, Duration waitTime,
				int maxWaiting, long startNanos, boolean ofView, EngineEnvironment environment) {
			super(context, request, terms, waitTime, maxWaiting, startNanos);
			this.ofView = ofView;
			this.environment = environment;
		}

		@Override
		Thread thread() {
			return this.thread;
		}

		@Override
		boolean ofView() {
			return this.ofView;
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
	public static final class FutureWaiter extends Waiter {

		private final CompletableFuture<@Nullable WaitOutcome> future = new CompletableFuture<>();

		private final Executor callbacks;

		/**
		 * Create a waiter without a thread.
		 * @param context that of the lock which the caller will hold
		 * @param request what the caller asks for
		 * @param terms how long the caller may hold the lock
		 * @param waitTime how long to wait: zero tries once, negative waits without a
		 * limit
		 * @param maxWaiting how many callers of this JVM may wait for the key
		 * @param startNanos when the wait began, by the monotonic clock
		 * @param callbacks complete the future
		 */
		public FutureWaiter(HoldContext context, LockRequest request, LeaseTerms terms, Duration waitTime,
				int maxWaiting, long startNanos, Executor callbacks) {
			super(context, request, terms, waitTime, maxWaiting, startNanos);
			this.callbacks = callbacks;
		}

		/**
		 * Return the future.
		 * @return completes with the outcome when the waiter may return to its caller
		 */
		public CompletableFuture<@Nullable WaitOutcome> future() {
			return this.future;
		}

		@Override
		void wake() {
			this.callbacks.execute(() -> this.future.complete(outcome()));
		}

	}

}
