package io.github.distlock.testing;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.LockListener;

/**
 * Records the events of a registry.
 */
public final class RecordedEvents implements LockListener {

	public final AtomicInteger waiting = new AtomicInteger();

	public final AtomicInteger renewed = new AtomicInteger();

	public final AtomicInteger notRenewed = new AtomicInteger();

	public final AtomicLong latestMillis = new AtomicLong();

	public final Queue<Attempted> attempted = new ConcurrentLinkedQueue<>();

	/** The keys of the locks that were lost. */
	public final Queue<String> lost = new ConcurrentLinkedQueue<>();

	public final Queue<Lost> losses = new ConcurrentLinkedQueue<>();

	public final Queue<String> released = new ConcurrentLinkedQueue<>();

	public final Queue<Resubscribed> resubscribed = new ConcurrentLinkedQueue<>();

	public List<String> outcomes() {
		return this.attempted.stream().map((event) -> event.outcome().name()).toList();
	}

	@Override
	public void onWaiting(Waiting event) {
		this.waiting.incrementAndGet();
	}

	@Override
	public void onWaitingEnded(Waiting event) {
		this.waiting.decrementAndGet();
	}

	@Override
	public void onAttempted(Attempted event) {
		this.attempted.add(event);
	}

	@Override
	public void onReleased(Released event) {
		this.released.add(event.key());
	}

	@Override
	public void onLost(Lost event) {
		this.losses.add(event);
		this.lost.add(event.key());
	}

	@Override
	public void onResubscribed(Resubscribed event) {
		this.resubscribed.add(event);
	}

	@Override
	public void onRenewed(Renewed event) {
		this.renewed.addAndGet(event.renewed());
		this.notRenewed.addAndGet(event.failed());
		this.latestMillis.accumulateAndGet(event.lateness().toMillis(), Math::max);
	}

}
