package io.github.distlock.engine;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Sends the batches of a {@link LeaseRenewer} in their order, so many at a time that a
 * long round trip does not delay them, and no more. Their answers are handled on the
 * threads of the renewals, whatever thread completes them. Thread-safe.
 * <p>
 * <b>Invariant.</b> A lease is under way only as long as its batch waits or is sent. A
 * batch leaves after the last of its leases, and the next one follows. If an error
 * prevents that, {@link #check()} finds the batch when any store would have ended it.
 */
final class RenewalQueue {

	private static final Log logger = LockLog.of(RenewalQueue.class);

	private static final int MOST_SENT = 64;

	/** In a store whose verbs block: the number of threads that send. */
	private static final int MOST_SENT_BLOCKING = 2;

	private final LockStore store;

	private final EngineEnvironment environment;

	private final Executor executor;

	private final AnswerHandler handler;

	/** Retries the leases of a batch that are still under way. */
	private final Consumer<List<HoldLease>> failed;

	private final int mostSent;

	private final Queue<RenewalBatch> waiting = new ConcurrentLinkedQueue<>();

	/**
	 * Those under way, and since when. Only the thread that has set {@link #sending} adds
	 * one.
	 */
	private final Map<RenewalBatch, Long> sent = new ConcurrentHashMap<>();

	/** Whether a thread sends. It looks for more batches after it has reset this. */
	private final AtomicBoolean sending = new AtomicBoolean();

	private volatile boolean stopped;

	RenewalQueue(LockStore store, EngineEnvironment environment, Executor executor, AnswerHandler handler,
			Consumer<List<HoldLease>> failed) {
		this.store = store;
		this.environment = environment;
		this.executor = executor;
		this.handler = handler;
		this.failed = failed;
		this.mostSent = store.blocks() ? MOST_SENT_BLOCKING : MOST_SENT;
	}

	/** From now on, it is no news that answers are not handled. */
	void stop() {
		this.stopped = true;
	}

	/** Add a batch. The caller then calls {@link #sendNext()}. */
	void add(RenewalBatch batch) {
		this.waiting.add(batch);
	}

	/** Send the batches that wait, in order, while not too many are under way. */
	void sendNext() {
		// Without recursion: a batch may end while it is sent.
		while (!this.waiting.isEmpty() && this.sent.size() < this.mostSent && this.sending.compareAndSet(false, true)) {
			try {
				RenewalBatch next = this.waiting.peek();
				if (next != null && this.sent.size() < this.mostSent) {
					this.sent.put(next, this.environment.clock().nanoTime());
					this.waiting.poll();
					guard(() -> send(next), (ex) -> ended(next, ex));
				}
			}
			finally {
				this.sending.set(false);
			}
		}
	}

	/** The stages keep what is thrown, and a task that the executor rejects. */
	private void send(RenewalBatch batch) {
		CompletableFuture.completedFuture(batch.leases())
			.thenComposeAsync((leases) -> this.store.renew(leases.stream().map(HoldLease::request).toList()),
					this.executor)
			.handleAsync((answer, failure) -> {
				if (this.sent.containsKey(batch)) {
					this.handler.answered(batch, answer, failure);
				}
				return batch;
			}, this.executor)
			.whenComplete((handled, error) -> ended(batch, error));
	}

	/** Handle the end of a batch, once or more. May be called by a thread of a driver. */
	private void ended(RenewalBatch batch, @Nullable Throwable error) {
		if (error != null && this.sent.containsKey(batch)) {
			this.failed.accept(batch.leases());
			if (!this.stopped) {
				logger.error("The answer to a renewal of leases could not be handled: its leases are renewed again",
						error);
			}
		}
		this.sent.remove(batch);
		sendNext();
	}

	/**
	 * End the batches that no driver has ended, and send what waits.
	 * @return the nanoseconds until the next check is needed
	 */
	long check() {
		long overdue = this.environment.clock().nanoTime() - EngineEnvironment.LONGEST_WAIT.toNanos();
		this.sent.forEach((batch, since) -> {
			if (since - overdue <= 0) {
				ended(batch, new TimeoutException("The driver has not ended a renewal"));
			}
		});
		sendNext();
		return this.sent.values().stream().mapToLong((since) -> since - overdue).min().orElse(Long.MAX_VALUE);
	}

	/** Whatever a step throws, others follow it. */
	static void guard(Runnable step, Consumer<Throwable> failed) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			failed.accept(ex);
		}
	}

	/**
	 * Handles the answer to a batch, or its failure.
	 */
	@FunctionalInterface
	interface AnswerHandler {

		void answered(RenewalBatch batch, @Nullable List<RenewalResult> answer, @Nullable Throwable failure);

	}

	/**
	 * The leases of one command.
	 *
	 * @param leases the leases
	 * @param dueNanos when the first of them was due
	 */
	record RenewalBatch(List<HoldLease> leases, long dueNanos) {

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other;
		}

		/** The same in each run of a simulation. */
		@Override
		public int hashCode() {
			return this.leases.get(0).hold.hashCode();
		}

	}

}
