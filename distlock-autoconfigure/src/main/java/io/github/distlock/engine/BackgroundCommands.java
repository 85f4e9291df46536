package io.github.distlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.distlock.backend.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * Sends the commands that no thread waits for. This is the only place that knows that the
 * verbs of a store may block: then the executor sends. Thread-safe.
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

	private final LockStore store;

	private final Function<Runnable, @Nullable Throwable> executor;

	/** How many releases in the background are unanswered. */
	private final AtomicInteger unanswered = new AtomicInteger();

	/** Completes with the answer to the last command of a key that was sent in order. */
	private final ConcurrentMap<String, CompletableFuture<Boolean>> lastInOrder = new ConcurrentHashMap<>();

	/** How many commands the thread is sending. */
	private final ThreadLocal<Integer> nested = ThreadLocal.withInitial(() -> 0);

	/**
	 * Create an object that sends commands.
	 * @param executor runs a task on another thread, or returns why it rejects the task
	 */
	BackgroundCommands(LockStore store, Function<Runnable, @Nullable Throwable> executor) {
		this.store = store;
		this.executor = executor;
	}

	/**
	 * Begin a release that no thread waits for.
	 * @param shutDown whether the executor may have been shut down
	 * @param closed completes with the outcome; {@code null} if the caller does not learn
	 * it
	 * @return the release, or {@code null} if a caller without a future has to wait for
	 * the answer: too many are unanswered, no thread would send it, or the next ticket of
	 * the key would not wait for it
	 */
	@Nullable BackgroundRelease beginRelease(Hold hold, boolean shutDown, @Nullable CompletableFuture<Void> closed) {
		boolean blocks = this.store.blocks();
		if (closed == null && ((hold.ticket.fair() && !this.store.keepsOrder()) || (blocks && shutDown))) {
			return null;
		}
		// Allocate first: what is counted must end.
		BackgroundRelease release = new BackgroundRelease(this.unanswered, hold, closed);
		int most = blocks ? MOST_ON_EXECUTOR : MOST_UNANSWERED;
		if (this.unanswered.incrementAndGet() > most && closed == null) {
			release.end();
			return null;
		}
		return release;
	}

	/** Whether the answer of a release is still to come. */
	boolean isAnyUnanswered() {
		return this.unanswered.get() > 0;
	}

	/**
	 * Send a command here, or on the executor.
	 * @param inOrder the key of the command if it is sent when the earlier ones of that
	 * key have been answered, otherwise {@code null}
	 * @param verb sends the command
	 * @param end is called with its answer or its failure, on any thread
	 */
	void send(@Nullable String inOrder, Supplier<CompletionStage<?>> verb,
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
				.thenRun(() -> send(null, verb, endTurn))
				.exceptionally((failure) -> {
					endTurn.accept(null, failure);
					return null;
				});
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

}
