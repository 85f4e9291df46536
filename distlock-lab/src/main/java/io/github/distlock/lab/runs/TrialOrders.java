package io.github.distlock.lab.runs;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import io.github.distlock.lab.processes.Http;

/**
 * The orders of one trial. After a service has said that its lock is blocked, no more
 * orders are placed: they would wait as long, without success.
 */
final class TrialOrders {

	// "Locked": the answer of nodes on which no caller gets the lock.
	private static final int BLOCKED = 423;

	private final Shop shop;

	private final String sku;

	private final String strategy;

	private final BooleanSupplier stopped;

	private final AtomicLong placed = new AtomicLong();

	private final AtomicLong ended = new AtomicLong();

	private final AtomicLong unserved = new AtomicLong();

	private final AtomicLong left = new AtomicLong();

	private final AtomicLong errors = new AtomicLong();

	private final Queue<String> failures = new ConcurrentLinkedQueue<>();

	/**
	 * Begin the orders of a trial.
	 * @param shop takes the orders
	 * @param sku the article
	 * @param strategy how the nodes protect their stock
	 * @param stopped whether no more orders are to be placed
	 */
	TrialOrders(Shop shop, String sku, String strategy, BooleanSupplier stopped) {
		this.shop = shop;
		this.sku = sku;
		this.strategy = strategy;
		this.stopped = stopped;
	}

	/**
	 * Place the next order, unless the round is stopped or blocked.
	 * @throws InterruptedException if interrupted while waiting for the answer
	 */
	void order() throws InterruptedException {
		if (this.stopped.getAsBoolean()) {
			this.left.incrementAndGet();
			return;
		}
		long order = this.placed.incrementAndGet();
		try {
			if (this.unserved.get() > 0) {
				this.unserved.incrementAndGet();
			}
			else {
				this.shop.order(this.sku, this.strategy, order);
			}
		}
		catch (Http.BadAnswerException ex) {
			if (ex.status() == BLOCKED) {
				this.unserved.incrementAndGet();
			}
			else {
				failed(ex);
			}
		}
		catch (IOException | RuntimeException ex) {
			failed(ex);
		}
		this.ended.incrementAndGet();
	}

	private void failed(Exception ex) {
		this.errors.incrementAndGet();
		this.failures.add(String.valueOf(ex));
	}

	/**
	 * Return the counts as of now.
	 */
	RunListener.Counts counts() {
		long unserved = this.unserved.get();
		return new RunListener.Counts(Math.max(0, this.ended.get() - unserved), this.errors.get(), unserved);
	}

	/**
	 * Return the messages of the orders that failed.
	 */
	Queue<String> failures() {
		return this.failures;
	}

	/**
	 * Return whether a stop kept orders from being placed.
	 */
	boolean isCutShort() {
		return this.left.get() > 0;
	}

}
