package io.github.distlock.contract;

import java.time.Duration;
import java.util.concurrent.Future;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A ticket shared by several callers asks for the lease of the caller that is first now.
 */
interface WaiterLeaseContract extends ContractTests {

	@Test
	default void theLongLeaseOfACallerThatHasLeftIsNotThatOfTheNext() throws Exception {
		assumeExpiry();
		ContractNode doomed = stage().node(watchedLease());
		ContractNode brief = stage().node(store().shortLease().multipliedBy(2));
		HeldLock held = doomed.acquire(key());
		Future<HeldLock> next = leaveBehind(brief, Duration.ofHours(1), patient());
		doomed.backend().crash();
		HeldLock lock = stage().get(next);
		assertThat(lock.remaining()).isLessThan(Duration.ofMinutes(1));
		assertThat(lock.fencingToken()).isGreaterThan(held.fencingToken());
		// It excludes others for its own lease, not for an hour.
		brief.backend().crash();
		two().acquire(key()).close();
	}

	@Test
	default void theShortLeaseOfACallerThatHasLeftIsNotThatOfTheNext() throws Exception {
		HeldLock held = two().acquire(key());
		Future<HeldLock> next = leaveBehind(one(), store().shortLease(), patient().leaseTime(Duration.ofMinutes(1)));
		one().backend().loseRequests(Verb.RENEW, Integer.MAX_VALUE);
		held.close();
		HeldLock lock = stage().get(next);
		assertThat(lock.remaining()).isGreaterThan(store().shortLease().multipliedBy(2));
		lock.close();
	}

	/**
	 * A caller with this lease queues and gives up while the next caller waits behind it.
	 */
	private Future<HeldLock> leaveBehind(ContractNode node, Duration lease, LockRequest next) throws Exception {
		Future<HeldLock> first = waiter(node, patient().leaseTime(lease));
		Future<HeldLock> waiting = waiter(node, next);
		int attempts = node.backend().calls(Verb.ATTEMPT);
		// Interrupts its thread.
		first.cancel(true);
		await().until(() -> node.waiting() == 1);
		await().until(() -> node.backend().calls(Verb.ATTEMPT) > attempts);
		return waiting;
	}

}
