package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * How many callers of a JVM may wait for a key, in stores with and without I/O.
 */
class MaxWaitingTests extends TwoRegistries {

	private static final RegistrySettings SETTINGS = RedisNodes.settings(Duration.ofSeconds(30));

	private final LocalStore memory = new LocalStore(TimeSource.SYSTEM);

	private final List<BackendLockRegistry> local = new ArrayList<>();

	@AfterEach
	void shutDown() {
		this.local.forEach(BackendLockRegistry::shutdown);
	}

	private BackendLockRegistry node(Store store, LockListener... listeners) {
		return node(store, SETTINGS, listeners);
	}

	private BackendLockRegistry node(Store store, RegistrySettings settings, LockListener... listeners) {
		if (store == Store.REDIS) {
			return redis.node(settings, List.of(listeners));
		}
		BackendLockRegistry node = new BackendLockRegistry(new LocalLockBackend(this.memory, 17, TimeSource.SYSTEM),
				settings, List.of(listeners), TimeSource.SYSTEM);
		this.local.add(node);
		node.start();
		return node;
	}

	private static LockNotAcquiredException refusal(Runnable call) {
		return catchThrowableOfType(LockNotAcquiredException.class, call::run);
	}

	@ParameterizedTest
	@EnumSource
	void theNextCallerIsRefusedAtOnceInEachWayToCall(Store store) throws Exception {
		BackendLockRegistry node = node(store, this.events);
		LockRequest request = request("hot").name("shop").maxWaiting(1);
		HeldLock held = node(store).acquire(request("hot"));
		Future<?> waiting = this.threads.submit(() -> node.acquire(request).close());
		await().until(() -> this.events.waiting.get() == 1);
		AtomicInteger runs = new AtomicInteger();
		assertThat(refusal(() -> node.acquire(request)).reason()).isEqualTo(LockOutcome.TOO_MANY_WAITING);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> node.execute(request, runs::incrementAndGet));
		assertThat(node.tryAcquire(request)).isEmpty();
		assertThat(node.tryAcquireAsync(request).get(10, TimeUnit.SECONDS)).isEmpty();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> node.acquireAsync(request).get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class)
			.satisfies((ex) -> assertThat(((LockNotAcquiredException) ex.getCause()).reason())
				.isEqualTo(LockOutcome.TOO_MANY_WAITING));
		assertThat(runs).hasValue(0);
		assertThat(this.events.outcomes()).hasSize(5).containsOnly("TOO_MANY_WAITING");
		assertThat(this.events.waiting).as("callers that wait").hasValue(1);
		assertThat(waiting.isDone()).isFalse();
		held.close();
		waiting.get(20, TimeUnit.SECONDS);
		node.acquire(request).close();
	}

	@ParameterizedTest
	@EnumSource
	void theExceptionSaysWhyAndWhatToDo(Store store) {
		BackendLockRegistry node = node(store, this.events);
		HeldLock held = node(store).acquire(request("hot"));
		node.acquireAsync(request("hot"));
		await().until(() -> this.events.waiting.get() == 1);
		assertThat(refusal(() -> node.acquire(request("hot").name("shop").maxWaiting(1))))
			.hasMessageStartingWith(
					"Lock 'hot' (shop) was not acquired, because 1 or more callers of this JVM wait for it: ")
			.hasMessageEndingWith(
					". Try again later, let more callers wait (maxWaiting, distlock.max-waiting), or hold it "
							+ "for a shorter time")
			.hasMessageNotContaining("holder is not known")
			.returns("shop", LockNotAcquiredException::lockName)
			.satisfies((ex) -> assertThat(ex.holder()).isNotNull());
		assertThat(held.isHeld()).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "LOCAL, PLAIN", "LOCAL, FAIR", "LOCAL, READ", "LOCAL, WRITE", "REDIS, PLAIN", "REDIS, FAIR",
			"REDIS, READ", "REDIS, WRITE" })
	void ofManyCallersThatComeAtOnceExactlySoManyWait(Store store, Kind kind) throws Exception {
		BackendLockRegistry node = node(store, this.events);
		HeldLock held = node(store).acquire(kind.request(request("hot")).mode(kind.holder));
		AtomicInteger entered = new AtomicInteger();
		AtomicInteger refused = new AtomicInteger();
		List<Future<?>> callers = new ArrayList<>();
		for (int i = 0; i < 60; i++) {
			boolean asynchronous = i % 3 == 0;
			callers.add(this.threads.submit(() -> {
				LockRequest request = kind.request(request("hot")).maxWaiting(7);
				try (HeldLock lock = asynchronous ? node.acquireAsync(request).get() : node.acquire(request)) {
					entered.incrementAndGet();
					assertThat(lock.isHeld()).isTrue();
				}
				catch (LockNotAcquiredException ex) {
					assertThat(ex.reason()).isEqualTo(LockOutcome.TOO_MANY_WAITING);
					refused.incrementAndGet();
				}
				catch (ExecutionException ex) {
					assertThat(ex).cause()
						.isInstanceOfSatisfying(LockNotAcquiredException.class,
								(cause) -> assertThat(cause.reason()).isEqualTo(LockOutcome.TOO_MANY_WAITING));
					refused.incrementAndGet();
				}
				return null;
			}));
		}
		await().until(() -> refused.get() == 53);
		assertThat(node.snapshot().waiting()).hasSize(7);
		assertThat(entered).hasValue(0);
		if (store == Store.REDIS) {
			await("until the tickets of the others have left")
				.until(() -> redis.queueLength("hot") == (kind.ownTicket ? 7 : 1));
		}
		held.close();
		for (Future<?> caller : callers) {
			caller.get(20, TimeUnit.SECONDS);
		}
		assertThat(entered).hasValue(7);
		await().until(() -> node.snapshot().isIdle());
	}

	@ParameterizedTest
	@EnumSource
	void aFairCallerThatIsRefusedSendsNoCommandAndTakesNoPlaceInTheQueue(Store store) {
		BackendLockRegistry node = node(store, this.events);
		HeldLock held = node(store).acquire(request("hot").fair(true));
		node.acquireAsync(request("hot").fair(true));
		await().until(() -> this.events.waiting.get() == 1);
		if (store == Store.REDIS) {
			await().until(() -> redis.queueLength("hot") == 1);
			redis.resetStats();
		}
		for (int i = 0; i < 5; i++) {
			assertThat(node.tryAcquire(request("hot").fair(true).maxWaiting(1))).isEmpty();
		}
		if (store == Store.REDIS) {
			assertThat(redis.calls("evalsha")).isZero();
			assertThat(redis.queueLength("hot")).isEqualTo(1);
		}
		assertThat(held.isHeld()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void theLimitOfTheRegistryHoldsUnlessTheRequestHasOne(Store store) {
		BackendLockRegistry node = node(store, TestSettings.limiting(SETTINGS, 2), this.events);
		HeldLock held = node(store).acquire(request("hot"));
		node.acquireAsync(request("hot"));
		node.acquireAsync(request("hot"));
		await().until(() -> this.events.waiting.get() == 2);
		assertThat(refusal(() -> node.acquire(request("hot"))).getMessage()).contains("because 2 or more callers");
		node.acquireAsync(request("hot").maxWaiting(3));
		await().until(() -> this.events.waiting.get() == 3);
		node.acquireAsync(request("hot").maxWaiting(Integer.MAX_VALUE));
		await().until(() -> this.events.waiting.get() == 4);
		assertThat(refusal(() -> node.acquire(request("hot").maxWaiting(4))).getMessage())
			.contains("because 4 or more callers");
		assertThat(held.isHeld()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void aLockViewIsNeverRefusedButCounted(Store store) throws Exception {
		BackendLockRegistry node = node(store, TestSettings.limiting(SETTINGS, 1), this.events);
		HeldLock held = node(store).acquire(request("hot"));
		Lock view = node.obtain("hot");
		List<Future<Boolean>> views = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			views.add(this.threads.submit(() -> {
				if (view.tryLock(20, TimeUnit.SECONDS)) {
					view.unlock();
					view.lock();
					view.unlock();
					return true;
				}
				return false;
			}));
		}
		await().until(() -> this.events.waiting.get() == 3);
		assertThat(refusal(() -> node.acquire(request("hot").maxWaiting(3))).reason())
			.isEqualTo(LockOutcome.TOO_MANY_WAITING);
		held.close();
		for (Future<Boolean> each : views) {
			assertThat(each.get(20, TimeUnit.SECONDS)).isTrue();
		}
	}

	@Test
	void aLockOfTwoStoresIsReleasedInTheFirstOneIfTheSecondOneRefuses() {
		BackendLockRegistry first = node(Store.LOCAL);
		BackendLockRegistry second = node(Store.REDIS, this.events);
		CompositeLockRegistry both = new CompositeLockRegistry(first, second, Duration.ofSeconds(5), TimeSource.SYSTEM);
		HeldLock held = node(Store.REDIS).acquire(request("hot"));
		second.acquireAsync(request("hot"));
		await().until(() -> this.events.waiting.get() == 1);
		LockRequest request = request("hot").maxWaiting(1);
		assertThat(refusal(() -> both.acquire(request)).reason()).isEqualTo(LockOutcome.TOO_MANY_WAITING);
		assertThat(both.tryAcquire(request)).isEmpty();
		assertThat(both.tryAcquireAsync(request)).succeedsWithin(Duration.ofSeconds(20))
			.satisfies((lock) -> assertThat(lock).isEmpty());
		await().until(() -> first.snapshot().isIdle());
		assertThat(held.isHeld()).isTrue();
	}

	/** The stores, one of which takes locks without commands. */
	enum Store {

		LOCAL, REDIS

	}

	/** The kinds of callers. */
	enum Kind {

		PLAIN(false, LockMode.EXCLUSIVE), FAIR(true, LockMode.EXCLUSIVE), READ(true, LockMode.WRITE),
		WRITE(false, LockMode.READ);

		final boolean ownTicket;

		/** A mode that keeps these callers out. */
		final LockMode holder;

		Kind(boolean ownTicket, LockMode holder) {
			this.ownTicket = ownTicket;
			this.holder = holder;
		}

		LockRequest request(LockRequest request) {
			return switch (this) {
				case PLAIN -> request;
				case FAIR -> request.fair(true);
				case READ -> request.mode(LockMode.READ);
				case WRITE -> request.mode(LockMode.WRITE);
			};
		}

	}

}
