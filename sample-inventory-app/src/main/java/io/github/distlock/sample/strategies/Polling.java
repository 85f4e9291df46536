package io.github.distlock.sample.strategies;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.github.distlock.lab.records.StockRecords;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/**
 * Waits for the hand-made locks: each caller tries again every few milliseconds, in no
 * order. That is a weakness of all of them, but not the one that they demonstrate.
 */
@Component
class Polling {

	private final Duration giveUpAfter;

	private final StockRecords records;

	private volatile long lastEntry = System.nanoTime();

	Polling(NodeProperties properties, StockRecords records) {
		this.giveUpAfter = properties.giveUpAfter();
		this.records = records;
	}

	/**
	 * Try until the lock is acquired.
	 * @param lock the lock, for the message
	 * @param lease the time after which the lock expires, or {@code null} if it does not
	 * @param attempt tries once
	 * @throws ResponseStatusException with status 423 if no caller on this node has
	 * acquired the lock for too long: then the lock counts as blocked
	 */
	void await(String lock, @Nullable Duration lease, BooleanSupplier attempt) {
		Instant asked = Instant.now();
		if (!attempt.getAsBoolean()) {
			this.records.waiting(1);
			try {
				asked = awaitNext(lock, attempt);
			}
			finally {
				this.records.waiting(-1);
			}
		}
		this.lastEntry = System.nanoTime();
		if (lease != null) {
			this.records.leased(asked, lease);
		}
	}

	private Instant awaitNext(String lock, BooleanSupplier attempt) {
		long start = System.nanoTime();
		while (true) {
			pause(lock, start);
			Instant asked = Instant.now();
			if (attempt.getAsBoolean()) {
				return asked;
			}
		}
	}

	private void pause(String lock, long start) {
		long silence = Math.min(System.nanoTime() - start, System.nanoTime() - this.lastEntry);
		if (silence > this.giveUpAfter.toNanos() || Thread.currentThread().isInterrupted()) {
			throw new ResponseStatusException(HttpStatus.LOCKED,
					"Lock '%s' is blocked: no caller on this node acquired it for %s".formatted(lock,
							this.giveUpAfter));
		}
		LockSupport.parkNanos(this, TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextLong(3000, 8000)));
	}

}
