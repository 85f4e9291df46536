package io.github.distlock.waiting;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Effects.QueueEvents;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends releases that no caller waits for: on the caller's thread if the store needs no
 * thread for the answer, otherwise on a thread of the executor. A release is confirmed
 * after all, on the caller's thread, if the executor has enough of them or has been shut
 * down, or if its ticket is that of one caller: the next ticket of the key would not wait
 * for it.
 * <p>
 * A release is settled once, by its answer or by an error of the sending thread, see
 * {@link Command#take()}. Thread-safe.
 */
final class BackgroundSender {

	private static final Log logger = LogFactory.getLog(BackgroundSender.class);

	/**
	 * As many as the executor has threads. More would delay its other commands, and would
	 * be sent later than by their callers.
	 */
	private static final int MAX_OF_EXECUTOR = 4;

	private final LockStore store;

	private final Tasks tasks;

	private final CommandSender sender;

	private final Semaphore executing = new Semaphore(MAX_OF_EXECUTOR);

	BackgroundSender(LockStore store, Tasks tasks, CommandSender sender) {
		this.store = store;
		this.tasks = tasks;
		this.sender = sender;
	}

	/**
	 * Send a release. An answer that comes at once is no outcome: whether the caller
	 * learns of a loss must not depend on the speed of the store.
	 * @return {@link ReleaseOutcome#PENDING}, or the outcome if the release was confirmed
	 */
	ReleaseOutcome send(QueueEvents queue, Command.Release release) {
		PendingRelease pending = release.pending();
		CompletionStage<ReleaseResult> answer;
		try {
			answer = this.store.releaseInOrder(pending.ticket, pending.lastToken, release.next());
		}
		catch (Throwable ex) {
			return this.sender.unanswered(queue, release, ex);
		}
		if (answer == null) {
			return sendByExecutor(queue, release);
		}
		try {
			answer.whenComplete((result, failure) -> {
				if (release.take()) {
					settle(queue, release, result, failure);
				}
			});
		}
		catch (Throwable ex) {
			return release.take() ? this.sender.unanswered(queue, release, ex) : ReleaseOutcome.PENDING;
		}
		// After the release was sent, and not before. If this fails, the queue waits for
		// the answer.
		this.sender.runAsync(queue, queue.releaseSent(release));
		return ReleaseOutcome.PENDING;
	}

	/**
	 * Send a command that a thread of the executor has taken, if the store needs no
	 * thread for the answer: so that the releases of many kept locks, for example, do not
	 * delay other commands of the executor.
	 * @return whether it was sent, or has failed
	 */
	boolean sendInOrder(QueueEvents queue, Command command) {
		if (!(command instanceof Command.Release release) || release.pending().background == null
				|| release.isRepeated()) {
			return false;
		}
		try {
			CompletionStage<ReleaseResult> answer;
			try {
				PendingRelease pending = release.pending();
				answer = this.store.releaseInOrder(pending.ticket, pending.lastToken, release.next());
			}
			catch (Throwable ex) {
				this.sender.report(release, this.sender.unanswered(queue, release, ex));
				return true;
			}
			if (answer == null) {
				return false;
			}
			answer.whenComplete((result, failure) -> settle(queue, release, result, failure));
			this.sender.runAsync(queue, queue.releaseSent(release));
		}
		catch (Throwable ex) {
			// First, without a call: logging may fail, too. An answer may still come.
			release.outcomeLost = true;
			logger.error("The release of lock '" + queue.key() + "' failed", ex);
		}
		return true;
	}

	/** Called on a thread of the driver, which must not block. */
	private void settle(QueueEvents queue, Command.Release release, @Nullable ReleaseResult result,
			@Nullable Throwable failure) {
		try {
			if (result != null) {
				this.sender.report(release, this.sender.answered(queue, release, result));
			}
			else {
				this.sender.report(release, this.sender.unanswered(queue, release,
						(failure != null) ? failure : new IllegalStateException("The store returned no result")));
			}
		}
		catch (Throwable ex) {
			// First, without a call: logging may fail, too.
			release.outcomeLost = true;
			logger.error("The release of lock '" + queue.key() + "' failed", ex);
		}
	}

	private ReleaseOutcome sendByExecutor(QueueEvents queue, Command.Release release) {
		if (release.pending().ticket.fair() || !this.executing.tryAcquire()) {
			return this.sender.release(queue, release);
		}
		// The executor may run the task although it rejects it, and another event may
		// have settled the command before: the permit is given back once in each case.
		AtomicBoolean permit = new AtomicBoolean(true);
		Throwable rejection = this.tasks.execute(() -> {
			try {
				if (release.take()) {
					this.sender.sendTaken(queue, release);
				}
			}
			finally {
				giveBack(permit);
			}
		});
		if (rejection != null) {
			giveBack(permit);
			return release.take() ? this.sender.unanswered(queue, release, rejection) : ReleaseOutcome.PENDING;
		}
		if (this.tasks.isShutDown()) {
			// The executor may have dropped the task, and nothing would repeat the
			// release.
			giveBack(permit);
			return release.take() ? this.sender.release(queue, release) : ReleaseOutcome.PENDING;
		}
		return ReleaseOutcome.PENDING;
	}

	private void giveBack(AtomicBoolean permit) {
		if (permit.compareAndSet(true, false)) {
			this.executing.release();
		}
	}

}
