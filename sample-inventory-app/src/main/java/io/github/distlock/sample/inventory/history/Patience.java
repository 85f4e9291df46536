package io.github.distlock.sample.inventory.history;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.github.distlock.sample.inventory.InventoryProperties;

import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/**
 * How the hand-made locks wait: they ask again every few milliseconds, all of them, in no
 * order. That is a fault of each of them, and not the one that they are here for.
 */
@Component
class Patience {

	private final Duration patience;

	private volatile long lastEntry = System.nanoTime();

	Patience(InventoryProperties properties) {
		this.patience = properties.patience();
	}

	/**
	 * Ask until the answer is yes.
	 * @param lock what is asked for
	 * @param attempt asks once
	 * @throws ResponseStatusException if nobody on this node had a yes for too long, as
	 * 503: nobody is served any more
	 */
	void await(String lock, BooleanSupplier attempt) {
		long start = System.nanoTime();
		while (!attempt.getAsBoolean()) {
			long silence = Math.min(System.nanoTime() - start, System.nanoTime() - this.lastEntry);
			if (silence > this.patience.toNanos() || Thread.currentThread().isInterrupted()) {
				throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE,
						"Lock '%s' is blocked: nobody got it for %s".formatted(lock, this.patience));
			}
			LockSupport.parkNanos(this,
					TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextLong(3000, 8000)));
		}
		this.lastEntry = System.nanoTime();
	}

}
