package io.github.distlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A caller that gives up returns when its ticket has left the store: when the lock is
 * released then, it is free for all callers.
 */
interface GiveUpContract extends ContractTests {

	/** Rounds of each test. Several keys are used at the same time. */
	int ROUNDS = 200;

	/** The number of keys used at the same time. */
	int LINES = 4;

	@Test
	default void noCallerIsRefusedAfterAWaitThatTimedOut() throws Exception {
		assertNeverRefused((request) -> {
			try {
				one().registry().acquire(request.waitTime(Duration.ofMillis(10))).close();
				return false;
			}
			catch (LockNotAcquiredException ex) {
				return true;
			}
		});
	}

	@Test
	default void noCallerIsRefusedAfterAnAsynchronousWaitThatTimedOut() throws Exception {
		assumeNoTransaction();
		assertNeverRefused((request) -> {
			try {
				one().registry().acquireAsync(request.waitTime(Duration.ofMillis(10))).join().close();
				return false;
			}
			catch (CompletionException ex) {
				if (ex.getCause() instanceof LockNotAcquiredException) {
					return true;
				}
				throw ex;
			}
		});
	}

	@Test
	default void noCallerIsRefusedAfterAWaitThatWasInterrupted() throws Exception {
		assumeNoTransaction();
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		try {
			assertNeverRefused((request) -> {
				Thread waiter = Thread.currentThread();
				Future<?> interrupt = timer.schedule(waiter::interrupt, 10, TimeUnit.MILLISECONDS);
				try {
					one().registry().acquire(request.waitTime(LockRequest.FOREVER)).close();
					return false;
				}
				catch (LockNotAcquiredException ex) {
					boolean flagged = Thread.interrupted();
					interrupt.get();
					return flagged && ex.getCause() instanceof InterruptedException;
				}
			});
		}
		finally {
			timer.shutdownNow();
		}
	}

	private void assertNeverRefused(GivingUp caller) throws Exception {
		// Before the first interrupt, which is meant for a waiting caller.
		one();
		ContractNode third = stage().node(Stage.LEASE);
		List<Future<Integer>> lines = new ArrayList<>();
		for (int i = 0; i < LINES; i++) {
			String key = key() + i;
			lines.add(stage().inThread(() -> {
				int refused = 0;
				for (int round = 0; round < ROUNDS / LINES; round++) {
					HeldLock held = two().acquire(key);
					assertThat(caller.giveUp(LockRequest.of(key))).as("the caller gave up").isTrue();
					held.close();
					refused += third.takes(key) ? 0 : 1;
				}
				return refused;
			}));
		}
		int refused = 0;
		for (Future<Integer> line : lines) {
			refused += stage().get(line);
		}
		assertThat(refused).as("attempts that were refused although the lock was free").isZero();
		stage().awaitIdle();
	}

	/** A caller that does not acquire the lock. */
	@FunctionalInterface
	interface GivingUp {

		/** Wait for a held lock, and give up. */
		boolean giveUp(LockRequest request) throws Exception;

	}

}
