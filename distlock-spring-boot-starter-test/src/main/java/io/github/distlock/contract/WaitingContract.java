package io.github.distlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Waiting: wake-up, order, wait time, and giving up.
 */
interface WaitingContract extends ContractTests {

	@Test
	default void aWaiterIsWokenByTheReleaseOfAnotherNode() throws Exception {
		HeldLock held = two().acquire(key());
		Future<HeldLock> waiter = waiter(one(), patient());
		assertThat(waiter.isDone()).isFalse();
		held.close();
		HeldLock next = stage().get(waiter);
		assertThat(next.isHeld()).isTrue();
		assertTokenFollows(next, held);
		next.close();
		stage().awaitIdle();
	}

	@Test
	default void aWaiterWithoutAThreadIsWoken() throws Exception {
		assumeNoTransaction();
		HeldLock held = two().acquire(key());
		CompletableFuture<HeldLock> waiter = one().registry().acquireAsync(patient());
		await().until(() -> one().waiting() == 1);
		held.close();
		stage().get(waiter).close();
		stage().awaitIdle();
	}

	@Test
	default void aWaiterWithoutAThreadThatIsCancelledLeavesNothingBehind() throws Exception {
		assumeNoTransaction();
		HeldLock held = two().acquire(key());
		CompletableFuture<HeldLock> cancelled = one().registry().acquireAsync(patient());
		await().until(() -> one().waiting() == 1);
		assertThat(cancelled.cancel(false)).isTrue();
		held.close();
		awaitFree();
		CompletableFuture<HeldLock> quick = one().registry().acquireAsync(request());
		if (!quick.cancel(false)) {
			// Granted before.
			stage().get(quick).close();
		}
		awaitFree();
	}

	@Test
	default void callersOfOneNodeEnterInTheOrderOfTheirCalls() throws Exception {
		assertThat(entries(patient(), List.of(one()))).containsExactly(0, 1, 2, 3, 4, 5);
	}

	@Test
	default void fairCallersOfSeveralNodesEnterInTheOrderOfTheirCalls() throws Exception {
		assumeOrder();
		assertThat(entries(request().fair(true).waitTime(LockRequest.FOREVER), List.of(one(), two())))
			.containsExactly(0, 1, 2, 3, 4, 5);
	}

	private List<Integer> entries(LockRequest request, List<ContractNode> nodes) throws Exception {
		HeldLock held = two().registry().acquire(request);
		Queue<Integer> entered = new ConcurrentLinkedQueue<>();
		List<Future<?>> callers = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			int caller = i;
			ContractNode node = nodes.get(i % nodes.size());
			Future<Boolean> waiter = stage().inThread(() -> {
				try (HeldLock lock = node.registry().acquire(request)) {
					return entered.add(lock.isHeld() ? caller : -1);
				}
			});
			callers.add(waiter);
			await().failFast(() -> assertThat(callers).as("waiting callers").noneMatch(Future::isDone))
				.untilAsserted(() -> assertThat(List.of(one().waiting(), two().waiting())).as("waiting callers")
					.satisfies((waiting) -> assertThat(waiting.get(0) + waiting.get(1)).isEqualTo(caller + 1)));
			if (request.fair()) {
				await().until(() -> one().backend().queued() + two().backend().queued() == caller + 1);
			}
		}
		held.close();
		for (Future<?> caller : callers) {
			stage().get(caller);
		}
		return List.copyOf(entered);
	}

	@Test
	default void aWaitDoesNotEndEarlyAndLeavesNothingBehind() {
		try (HeldLock lock = two().acquire(key())) {
			Duration waitTime = Duration.ofMillis(250);
			long start = System.nanoTime();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> one().registry().acquire(request().waitTime(waitTime)))
				.withMessageContaining(key());
			assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(waitTime.toNanos());
			assertThat(lock.isHeld()).isTrue();
		}
		two().acquire(key()).close();
		await().until(one()::isIdle);
	}

	@Test
	default void aWaitTimeOfZeroSendsOneAttempt() {
		try (HeldLock lock = two().acquire(key())) {
			int attempts = one().backend().calls(Verb.ATTEMPT);
			assertThat(one().registry().tryAcquire(once())).isEmpty();
			assertThat(one().backend().calls(Verb.ATTEMPT)).isEqualTo(attempts + 1);
			assertThat(one().isIdle()).isTrue();
			assertThat(lock.isHeld()).isTrue();
		}
		assertThat(one().takes(key())).isTrue();
	}

	@Test
	default void anInterruptEndsTheWaitAndLeavesNothingBehind() throws Exception {
		assumeNoTransaction();
		HeldLock lock = two().acquire(key());
		Thread[] thread = new Thread[1];
		Future<Boolean> waiter = stage().inThread(() -> {
			thread[0] = Thread.currentThread();
			try {
				one().registry().acquire(patient());
				return false;
			}
			catch (LockNotAcquiredException ex) {
				return ex.getCause() instanceof InterruptedException && Thread.interrupted();
			}
		});
		await().until(() -> one().waiting() == 1);
		thread[0].interrupt();
		assertThat(stage().get(waiter)).isTrue();
		assertThat(lock.isHeld()).isTrue();
		lock.close();
		await().until(one()::isIdle);
		assertThat(two().takes(key())).isTrue();
	}

	@Test
	default void anInterruptedHolderStillReleases() throws Exception {
		stage().get(stage().inThread(() -> {
			HeldLock lock = one().acquire(key());
			Thread.currentThread().interrupt();
			lock.close();
			assertThat(Thread.interrupted()).isTrue();
			return true;
		}));
		assertThat(two().takes(key())).isTrue();
	}

	@Test
	default void theNextCallerContinuesToWaitWhenTheFirstGivesUp() throws Exception {
		assumeNoTransaction();
		HeldLock held = two().acquire(key());
		Future<HeldLock> hasty = waiter(one(), patient());
		Future<HeldLock> patient = waiter(one(), patient());
		// Interrupts its thread.
		hasty.cancel(true);
		await().until(() -> one().waiting() == 1);
		held.close();
		stage().get(patient).close();
		stage().awaitIdle();
	}

}
