package io.github.distlock.registry;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.LockListener;

/**
 * Records the events of a registry.
 */
final class RecordedEvents implements LockListener {

	final AtomicInteger waiting = new AtomicInteger();

	final AtomicInteger renewed = new AtomicInteger();

	final AtomicInteger notRenewed = new AtomicInteger();

	final AtomicLong latestMillis = new AtomicLong();

	final Queue<Attempted> attempted = new ConcurrentLinkedQueue<>();

	final Queue<String> lost = new ConcurrentLinkedQueue<>();

	final Queue<String> released = new ConcurrentLinkedQueue<>();

	final Queue<Resubscribed> resubscribed = new ConcurrentLinkedQueue<>();

	List<String> outcomes() {
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
