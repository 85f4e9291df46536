package io.github.distlock.contract;

import java.time.Duration;
import java.util.concurrent.Future;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.ContractTests.WholeStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nothing remains in the store or in the JVM. One test for all ways to end a wait or a
 * hold, since a store may remember keys for a while.
 */
interface CleanUpContract extends ContractTests {

	@Test
	@WholeStore
	default void nothingIsLeftInTheStoreWhenNoTicketHoldsOrWaits() throws Exception {
		leaveBackends(key() + "-backend");
		leaveLostAndLate(key() + "-lost");
		leaveContended(key());
		HeldLock crashed = leaveCrashed(key() + "-crashed");
		two().acquire(crashed.key()).close();
		await().until(() -> one().isIdle() && two().isIdle());
		Awaitility.await()
			.atMost(store().memory().plus(store().patience()))
			.untilAsserted(() -> assertThat(store().items()).isZero());
	}

	private void leaveBackends(String name) {
		Ticket holder = first().hold(name);
		Ticket waiter = second().ticket(name);
		second().attempt(waiter);
		Ticket cancelled = first().ticket(name);
		first().attempt(cancelled);
		Answers.of(first().store.cancel(cancelled));
		first().release(holder);
		second().awaitGrant(waiter);
		second().release(waiter);
	}

	/**
	 * A lease that expires, with a waiting caller that times out and one that does not
	 * wait.
	 */
	private void leaveLostAndLate(String name) {
		HeldLock lost = one().registry().acquire(LockRequest.of(name).leaseTime(store().shortLease()));
		// Times out, unless this machine is so slow that the lease has expired.
		two().registry().tryAcquire(LockRequest.of(name).waitTime(Duration.ofMillis(50))).ifPresent(HeldLock::close);
		await().until(() -> !lost.isHeld());
	}

	private void leaveContended(String name) throws Exception {
		HeldLock held = one().acquire(name);
		Future<?> waiter = stage().inThread(() -> {
			two().acquire(name).close();
			return true;
		});
		await().until(() -> two().waiting() == 1);
		held.close();
		stage().get(waiter);
	}

	private HeldLock leaveCrashed(String name) {
		ContractNode doomed = stage().node(store().shortLease());
		HeldLock lock = doomed.acquire(name);
		doomed.backend().crash();
		return lock;
	}

}
