package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Two hundred callers whose wait time passes: when they return, and how many commands
 * they cost.
 */
class TimeoutTests extends TwoRegistries {

	private static final Log logger = LogFactory.getLog(TimeoutTests.class);

	private static final int WAITERS = 200;

	private static final Duration WAIT = Duration.ofMillis(100);

	@Test
	void callersOfOneKeyDoNotGiveUpEarlyAndShareTheirCommands() throws Exception {
		HeldLock held = this.two.acquire(request("key"));
		long commands = commandsOf(this::giveUpOnThisThread, (number) -> "key");
		// One shared ticket in the store for all of them, or a few if some callers
		// arrived late.
		assertThat(commands).isBetween(2L, WAITERS / 4L);
		held.close();
		assertThat(this.events.outcomes()).hasSize(WAITERS).containsOnly("TIMEOUT");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void callersOfAsManyKeysDoNotGiveUpEarlyAndSendTwoCommandsEach(boolean asynchronous) throws Exception {
		List<HeldLock> held = new ArrayList<>();
		for (int i = 0; i < WAITERS; i++) {
			held.add(this.two.acquire(request("key-" + i)));
		}
		GivingUp givingUp = asynchronous ? this::giveUpLater : this::giveUpOnThisThread;
		long commands = commandsOf(givingUp, (number) -> "key-" + number);
		// For callers on a thread, one more looks up what holds the locks, for all
		// messages.
		assertThat(commands).isBetween((long) WAITERS, 2L * WAITERS + (asynchronous ? 0 : 1));
		held.forEach(HeldLock::close);
		assertThat(this.events.outcomes()).hasSize(WAITERS).containsOnly("TIMEOUT");
	}

	private long commandsOf(GivingUp givingUp, IntFunction<String> keys) throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		List<Future<Long>> waiters = new ArrayList<>();
		for (int i = 0; i < WAITERS; i++) {
			LockRequest request = LockRequest.of(keys.apply(i)).waitTime(WAIT);
			waiters.add(this.threads.submit(() -> {
				go.await();
				return givingUp.nanos(request);
			}));
		}
		redis.resetStats();
		go.countDown();
		long[] micros = new long[WAITERS];
		for (int i = 0; i < WAITERS; i++) {
			long waited = waiters.get(i).get(30, TimeUnit.SECONDS);
			assertThat(waited).isGreaterThanOrEqualTo(WAIT.toNanos());
			micros[i] = (waited - WAIT.toNanos()) / 1000;
		}
		await().until(() -> this.one.snapshot().isIdle());
		long commands = redis.calls("evalsha");
		Arrays.sort(micros);
		logger.info("MEASURE " + WAITERS + " callers gave up late by " + micros[WAITERS / 2] + " us (median), "
				+ micros[WAITERS * 99 / 100] + " us (99 %), " + micros[WAITERS - 1] + " us (most), with " + commands
				+ " commands");
		return commands;
	}

	private long giveUpOnThisThread(LockRequest request) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.one.acquire(request));
		return System.nanoTime() - start;
	}

	private long giveUpLater(LockRequest request) throws Exception {
		long start = System.nanoTime();
		CompletableFuture<Long> end = this.one.acquireAsync(request)
			.handle((lock, failure) -> (failure instanceof LockNotAcquiredException) ? System.nanoTime() : 0);
		try {
			return end.get(30, TimeUnit.SECONDS) - start;
		}
		catch (ExecutionException ex) {
			throw new AssertionError(ex);
		}
	}

	/** Waits until the wait time has passed, and returns how long that took. */
	private interface GivingUp {

		long nanos(LockRequest request) throws Exception;

	}

}
