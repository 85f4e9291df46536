package io.github.distlock.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * One asynchronous wait, from the request to its end. If a grant has passed before its
 * turn came to be told, it waits again for what is left of its time.
 */
final class AsyncEntry {

	private final WaitingRoom room;

	private final Dispatcher dispatcher;

	private final TimeSource clock;

	private final EntryRequest request;

	private final long startNanos;

	private final CompletableFuture<@Nullable Admission> result = new CompletableFuture<>();

	AsyncEntry(WaitingRoom room, Dispatcher dispatcher, TimeSource clock, EntryRequest request) {
		this.room = room;
		this.dispatcher = dispatcher;
		this.clock = clock;
		this.request = request;
		this.startNanos = clock.nanoTime();
	}

	CompletableFuture<@Nullable Admission> begin() {
		FutureWaiter waiter = attempt();
		if (!waiter.isOnce() && waiter.outcome() == null) {
			this.request.onWaiting().run();
		}
		return this.result;
	}

	private FutureWaiter attempt() {
		FutureWaiter waiter = new FutureWaiter(this.request, this.startNanos, this.dispatcher.callbacks());
		KeyEntry entry = this.room.join(waiter, true);
		Future<?> timer = waiter.isEndless() ? null : this.dispatcher.later(() -> this.room.giveUp(entry, waiter, true),
				Math.max(0, waiter.remainingNanos(this.clock.nanoTime())));
		this.result.whenComplete((admission, failure) -> {
			if (this.result.isCancelled()) {
				this.room.giveUp(entry, waiter, false);
			}
		});
		waiter.future().thenAccept((outcome) -> {
			if (timer != null) {
				timer.cancel(false);
			}
			decided(outcome);
		});
		return waiter;
	}

	private void decided(@Nullable Outcome outcome) {
		if (outcome instanceof Outcome.Failed failed) {
			this.result.completeExceptionally(failed.forCaller());
		}
		else if (outcome instanceof Outcome.Admitted admitted) {
			admitted(admitted.admission());
		}
		else {
			this.result.complete(null);
		}
	}

	private void admitted(Admission admission) {
		if (admission.hasPassed(this.clock)) {
			this.room.abandon(admission);
			try {
				attempt();
			}
			catch (LockBackendException ex) {
				this.result.completeExceptionally(ex);
			}
		}
		else if (!this.result.complete(admission)) {
			// Cancelled in the moment of the grant.
			this.room.abandon(admission);
		}
	}

}
