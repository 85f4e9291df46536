package io.github.distlock.engine;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore;
import io.github.distlock.engine.Effects.Command;
import io.github.distlock.engine.PendingReleases.PendingRelease;
import org.jspecify.annotations.Nullable;

/**
 * Sends the commands that no thread waits for. This is the only place that knows that the
 * verbs of a store may block: then the executor sends.
 * <p>
 * <b>Limit.</b> To a store that does not block, a limited number of attempts is sent at a
 * time. The first attempts of other tickets wait here in the order in which they came:
 * the time-out of the store counts from the moment when a command is passed to it, and in
 * a burst thousands would reach theirs in the queue of the driver, with the renewals
 * among them. Each failure lowers the limit, and each answer raises it again. Renewals,
 * releases, cancels and further attempts of a ticket are never limited. An attempt that
 * is not sent ends with the wait of its last caller, which withdraws it, or fails if the
 * store is silent. Thread-safe.
 */
final class BackgroundCommands {

	/**
	 * Limit of recursion: a stage that is already complete sends the next command on the
	 * same stack. Beyond it the executor sends: not a loop of the thread, in which a
	 * command would wait for the code of an application that an earlier one has called.
	 */
	private static final int MOST_NESTED = 8;

	/**
	 * How many releases the executor sends at a time: it has as many threads. More would
	 * delay its other commands, and would be sent later than by their callers.
	 */
	private static final int MOST_ON_EXECUTOR = 4;

	/** More unanswered releases would only hide that the store is too slow, or silent. */
	private static final int MOST_UNANSWERED = 1000;

	/**
	 * How many attempts are sent at a time: enough for a store with a long round trip.
	 */
	static final int MOST_ATTEMPTS = 256;

	/** The same until the first answers: a new JVM is slow. */
	private static final int FIRST_ATTEMPTS = 32;

	/** The same for a JVM that gets little processor time, or a slow store. */
	private static final int LEAST_ATTEMPTS = 8;

	private final LockStore store;

	private final Function<Runnable, @Nullable Throwable> executor;

	/** How many releases in the background are unanswered. */
	private final AtomicInteger unanswered = new AtomicInteger();

	/** Completes with the answer to the last command of a key that was sent in order. */
	private final ConcurrentMap<String, CompletableFuture<Boolean>> lastInOrder = new ConcurrentHashMap<>();

	/** How many attempts are sent and have not ended, see {@link Command#countIn}. */
	final AtomicInteger attempts = new AtomicInteger();

	/** The attempts that are not sent since there are too many others. */
	final Queue<QueuedAttempt> queued = new ConcurrentLinkedQueue<>();

	/** The limit now. A change that another thread overwrites does no harm. */
	volatile int mostAttempts;

	/** Whether the store has answered a command since the last sweep. */
	volatile boolean answered;

	/** How many sweeps have met queued attempts and no answer. Only sweeps use it. */
	private int silentSweeps;

	/** How many commands the thread is sending. */
	private final ThreadLocal<Integer> nested = ThreadLocal.withInitial(() -> 0);

	/**
	 * Create an object that sends commands.
	 * @param executor runs a task on another thread, or returns why it rejects the task
	 */
	BackgroundCommands(LockStore store, Function<Runnable, @Nullable Throwable> executor) {
		this.store = store;
		this.executor = executor;
		this.mostAttempts = store.blocks() ? Integer.MAX_VALUE : FIRST_ATTEMPTS;
	}

	/**
	 * Return whether a release need not be waited for: few are unanswered, a thread sends
	 * it, and the next ticket of the key waits for it. Threads that ask at the same time
	 * may exceed the limit.
	 * @param shutDown whether the executor may have been shut down
	 */
	boolean mayRelease(Hold hold, boolean shutDown) {
		boolean blocks = this.store.blocks();
		return (!hold.ticket.fair() || this.store.keepsOrder()) && !(blocks && shutDown)
				&& this.unanswered.get() < (blocks ? MOST_ON_EXECUTOR : MOST_UNANSWERED);
	}

	/** Count a release that no thread waits for until it is answered. */
	void count(PendingRelease release) {
		release.whenComplete((outcome, failure) -> this.unanswered.decrementAndGet());
		this.unanswered.incrementAndGet();
	}

	/** Whether the answer of a release is still to come. */
	boolean isAnyUnanswered() {
		return this.unanswered.get() > 0;
	}

	/** A command has failed, perhaps since too many were sent. */
	void failed() {
		int most = this.mostAttempts;
		if (most <= MOST_ATTEMPTS) {
			this.mostAttempts = Math.max(LEAST_ATTEMPTS, most - most / 8);
		}
	}

	/**
	 * Send attempts that wait. Called after the end of each command, and by each sweep:
	 * an error may have prevented a call.
	 */
	void sendQueued() {
		QueuedAttempt next;
		while (this.attempts.get() < this.mostAttempts && (next = this.queued.poll()) != null) {
			send(null, false, next.verb, next.end);
		}
	}

	/**
	 * Called every second, also while the store is silent: then the attempts that wait
	 * fail as those that are sent do. Sweeps are counted, and not time: the process may
	 * be paused.
	 * @param commandTimeout how long a command may take
	 */
	void sweep(Duration commandTimeout) {
		this.attempts.updateAndGet((count) -> Math.max(count, 0));
		this.silentSweeps = (this.answered || this.queued.isEmpty()) ? 0 : this.silentSweeps + 1;
		this.answered = false;
		if (this.silentSweeps > commandTimeout.toSeconds()) {
			LockBackendException cause = new LockBackendException("The lock store has answered no command for "
					+ this.silentSweeps + " seconds, so no more attempts are sent to it");
			QueuedAttempt next;
			for (int left = this.queued.size(); left > 0 && (next = this.queued.poll()) != null; left--) {
				next.end.accept(null, cause);
			}
		}
		sendQueued();
	}

	/**
	 * Send a command here, or on the executor.
	 * @param inOrder the key of the command if it is sent when the earlier ones of that
	 * key have been answered, otherwise {@code null}
	 * @param limited whether it waits if too many are sent
	 * @param verb sends the command
	 * @param end is called with its answer or its failure, on any thread
	 */
	void send(@Nullable String inOrder, boolean limited, Supplier<CompletionStage<?>> verb,
			BiConsumer<@Nullable Object, @Nullable Throwable> end) {
		if (inOrder != null) {
			CompletableFuture<Boolean> answered = new CompletableFuture<>();
			CompletableFuture<Boolean> before = this.lastInOrder.put(inOrder, answered);
			// An error here ends the turn of this command, too: the next one waits for
			// it.
			BiConsumer<@Nullable Object, @Nullable Throwable> endTurn = (answer, failure) -> {
				this.lastInOrder.remove(inOrder, answered);
				answered.complete(true);
				end.accept(answer, failure);
			};
			((before != null) ? before : CompletableFuture.completedFuture(true))
				.thenRun(() -> send(null, limited, verb, endTurn))
				.exceptionally((failure) -> {
					endTurn.accept(null, failure);
					return null;
				});
			return;
		}
		if (limited && (this.attempts.get() >= this.mostAttempts || !this.queued.isEmpty())) {
			this.queued.add(new QueuedAttempt(verb, end));
			// The last one that was sent may have ended before.
			sendQueued();
			return;
		}
		int depth = this.nested.get();
		if (this.store.blocks() || depth == MOST_NESTED) {
			Throwable rejection = this.executor.apply(() -> transmit(verb, end));
			if (rejection != null) {
				end.accept(null, rejection);
			}
			return;
		}
		this.nested.set(depth + 1);
		try {
			transmit(verb, end);
		}
		finally {
			if (depth == 0) {
				this.nested.remove();
			}
			else {
				this.nested.set(depth);
			}
		}
	}

	private static void transmit(Supplier<CompletionStage<?>> verb,
			BiConsumer<@Nullable Object, @Nullable Throwable> end) {
		try {
			verb.get().whenComplete(end);
		}
		catch (Throwable ex) {
			end.accept(null, ex);
		}
	}

	/** An attempt that waits, see {@link #send}. */
	record QueuedAttempt(Supplier<CompletionStage<?>> verb, BiConsumer<@Nullable Object, @Nullable Throwable> end) {

	}

}
