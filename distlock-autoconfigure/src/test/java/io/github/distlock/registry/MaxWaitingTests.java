package io.github.distlock.registry;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * How many callers of a JVM may wait for a key.
 */
class MaxWaitingTests extends TwoRegistries {

	private static LockNotAcquiredException refusal(Runnable call) {
		return catchThrowableOfType(LockNotAcquiredException.class, call::run);
	}

	@Test
	void theNextCallerIsRefusedAtOnceInEachWayToCall() throws Exception {
		BackendLockRegistry node = redis.node(this.events);
		LockRequest request = request("hot").name("shop").maxWaiting(1);
		HeldLock held = this.two.acquire(request("hot"));
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

	@Test
	void theExceptionSaysWhyAndWhatToDo() {
		BackendLockRegistry node = redis.node(this.events);
		HeldLock held = this.two.acquire(request("hot"));
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
	@EnumSource
	void ofManyCallersThatComeAtOnceExactlySoManyWait(Kind kind) throws Exception {
		BackendLockRegistry node = redis.node(this.events);
		HeldLock held = this.two.acquire(kind.request(request("hot")).mode(kind.holder));
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
		await().until(() -> refused.get() == 53 && node.snapshot().waiting().size() == 7);
		assertThat(entered).hasValue(0);
		await("until the tickets of the others have left")
			.until(() -> redis.queueLength("hot") == (kind.ownTicket ? 7 : 1));
		held.close();
		for (Future<?> caller : callers) {
			caller.get(20, TimeUnit.SECONDS);
		}
		assertThat(entered).hasValue(7);
		await().until(() -> node.snapshot().isIdle());
	}

	@Test
	void aFairCallerThatIsRefusedSendsNoCommandAndTakesNoPlaceInTheQueue() {
		BackendLockRegistry node = redis.node(this.events);
		HeldLock held = this.two.acquire(request("hot").fair(true));
		node.acquireAsync(request("hot").fair(true));
		await().until(() -> this.events.waiting.get() == 1);
		await().until(() -> redis.queueLength("hot") == 1);
		redis.resetStats();
		for (int i = 0; i < 5; i++) {
			assertThat(node.tryAcquire(request("hot").fair(true).maxWaiting(1))).isEmpty();
		}
		assertThat(redis.calls("evalsha")).isZero();
		assertThat(redis.queueLength("hot")).isEqualTo(1);
		assertThat(held.isHeld()).isTrue();
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
