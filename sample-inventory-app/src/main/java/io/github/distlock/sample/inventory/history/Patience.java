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
 * Waits for the hand-made locks: each caller tries again every few milliseconds, in no
 * order. That is a weakness of all of them, but not the one that they demonstrate.
 */
@Component
class Patience {

	private final Duration patience;

	private volatile long lastEntry = System.nanoTime();

	Patience(InventoryProperties properties) {
		this.patience = properties.patience();
	}

	/**
	 * Try until the lock is acquired.
	 * @param lock the lock, for the message
	 * @param attempt tries once
	 * @throws ResponseStatusException with status 503 if no caller on this node has
	 * acquired the lock for too long: then the lock counts as blocked
	 */
	void await(String lock, BooleanSupplier attempt) {
		long start = System.nanoTime();
		while (!attempt.getAsBoolean()) {
			long silence = Math.min(System.nanoTime() - start, System.nanoTime() - this.lastEntry);
			if (silence > this.patience.toNanos() || Thread.currentThread().isInterrupted()) {
				throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE,
						"Lock '%s' is blocked: no caller on this node acquired it for %s".formatted(lock,
								this.patience));
			}
			LockSupport.parkNanos(this,
					TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextLong(3000, 8000)));
		}
		this.lastEntry = System.nanoTime();
	}

}
