package io.github.distlock.waiting;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.backend.LockStore;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Effects.QueueEvents;

/**
 * Sends releases that no caller waits for: on the caller's thread if the store does not
 * wait for the answer, otherwise on a thread of the executor. A release is confirmed
 * after all, on the caller's thread, if the executor has enough of them or has been shut
 * down. So is that of a ticket of one caller if the store keeps no order: the next ticket
 * of the key would not wait for it. Thread-safe.
 */
final class BackgroundSender {

	/**
	 * As many as the executor has threads. More would delay its other commands, and would
	 * be sent later than by their callers.
	 */
	private static final int MAX_OF_EXECUTOR = 4;

	private final LockStore store;

	private final TaskRunner tasks;

	private final CommandSender sender;

	private final Semaphore executing = new Semaphore(MAX_OF_EXECUTOR);

	BackgroundSender(LockStore store, TaskRunner tasks, CommandSender sender) {
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
		boolean fair = release.pending().ticket.fair();
		if (this.store.keepsOrder() || (!this.store.blocks() && !fair)) {
			this.sender.send(queue, release, CommandSender.UNNOTICED);
			return ReleaseOutcome.PENDING;
		}
		if (!this.store.blocks() || fair || !this.executing.tryAcquire()) {
			return this.sender.sendAndAwait(queue, release);
		}
		// The executor may run the task although it rejects it, and another event may
		// have settled the command before: the permit is given back once in each case.
		AtomicBoolean permit = new AtomicBoolean(true);
		Throwable rejection = this.tasks.execute(() -> {
			try {
				this.sender.send(queue, release, CommandSender.UNNOTICED);
			}
			finally {
				giveBack(permit);
			}
		});
		if (rejection == null && !this.tasks.isShutDown()) {
			return ReleaseOutcome.PENDING;
		}
		// The executor may have dropped the task, and nothing would repeat the release.
		giveBack(permit);
		return release.take() ? this.sender.sendAndAwait(queue, release) : ReleaseOutcome.PENDING;
	}

	private void giveBack(AtomicBoolean permit) {
		if (permit.compareAndSet(true, false)) {
			this.executing.release();
		}
	}

}
