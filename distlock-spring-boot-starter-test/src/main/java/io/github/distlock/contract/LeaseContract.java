package io.github.distlock.contract;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.contract.ContractTests.WholeStore;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Leases: how they expire, how they are renewed, and how a holder is notified of the
 * loss.
 */
interface LeaseContract extends ContractTests {

	@Test
	default void anExplicitLeaseEndsInTheJvmWhateverTheStoreDoes() {
		AtomicInteger notifications = new AtomicInteger();
		HeldLock lock = one().registry().acquire(request().leaseTime(store().shortLease()));
		lock.onLost(notifications::incrementAndGet);
		assertThat(lock.remaining()).isLessThanOrEqualTo(store().shortLease());
		await().until(() -> !lock.isHeld());
		assertThat(lock.remaining()).isEqualTo(Duration.ZERO);
		await().until(() -> notifications.get() == 1);
		await().untilAsserted(() -> assertThat(one().lost()).containsExactly(key()));
		// Released in the background, or expired in the store: the next caller enters.
		try (HeldLock next = two().acquire(key())) {
			assertThat(next.fencingToken()).isGreaterThan(lock.fencingToken());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close).withMessageContaining(key());
			assertThat(next.isHeld()).isTrue();
			assertThat(one().finds(key())).isFalse();
		}
		assertThat(notifications).hasValue(1);
		stage().awaitIdle();
	}

	@Test
	default void anExplicitLeaseLastsAsLongAsAsked() {
		// A lock of a session reports the time for which the session is certainly alive.
		assumeExpiry();
		Duration lease = Duration.ofMinutes(1);
		long begin = System.nanoTime();
		HeldLock lock = one().registry().acquire(request().leaseTime(lease));
		Duration left = lock.remaining();
		// Counted from the sending of the attempt, which is after the beginning.
		assertThat(left.plusNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(lease);
		lock.close();
	}

	@Test
	default void aLeaseGrantedByMessageLastsAsLongAsAskedFromItsConfirmation() throws Exception {
		assumeExpiry();
		Duration lease = Duration.ofSeconds(20);
		HeldLock held = two().acquire(key());
		Future<HeldLock> waiter = waiter(one(), request().leaseTime(lease).waitTime(LockRequest.FOREVER));
		long begin = System.nanoTime();
		held.close();
		HeldLock lock = stage().get(waiter);
		if (lock.remaining().plusNanos(System.nanoTime() - begin).compareTo(lease.minusSeconds(2)) < 0) {
			await().until(() -> one().renewed() == 1);
		}
		// Counted from the grant, whose time is not known: it is after the beginning.
		assertThat(lock.remaining().plusNanos(System.nanoTime() - begin)).isGreaterThan(lease.minusSeconds(1));
		lock.close();
	}

	@Test
	default void theWatchdogKeepsALockBeyondSeveralLeases() {
		ContractNode watched = stage().node(watchedLease());
		try (HeldLock lock = watched.acquire(key())) {
			await().during(watchedLease().multipliedBy(2))
				.pollInterval(Duration.ofMillis(50))
				.until(() -> lock.isHeld() && !two().finds(key()));
		}
		assertThat(watched.lost()).isEmpty();
		assertThat(two().takes(key())).isTrue();
	}

	@Test
	default void aCrashedNodeFreesItsLockInTheEnd() {
		ContractNode doomed = stage().node(store().shortLease());
		HeldLock lock = doomed.acquire(key());
		doomed.backend().crash();
		assertNextEnters(two(), lock);
		if (description().expires()) {
			assertThat(lock.isHeld()).isFalse();
		}
	}

	@Test
	default void aCrashedWaiterDoesNotKeepOthersOut() throws Exception {
		ContractNode doomed = stage().node(store().shortLease());
		HeldLock lock = two().acquire(key());
		stage().inThread(() -> doomed.acquire(key()));
		await().until(() -> doomed.waiting() == 1 && doomed.backend().calls(Verb.ATTEMPT) > 0);
		doomed.backend().crash();
		lock.close();
		one().acquire(key()).close();
	}

	@Test
	default void aHolderWhoseRenewalsAreLostIsNotifiedBeforeTheNextEnters() {
		assumeExpiry();
		ContractNode cut = stage().node(watchedLease());
		AtomicInteger notifications = new AtomicInteger();
		HeldLock lock = cut.acquire(key());
		lock.onLost(notifications::incrementAndGet);
		cut.backend().loseRequests(Verb.RENEW, Integer.MAX_VALUE);
		cut.backend().loseRequests(Verb.RELEASE, Integer.MAX_VALUE);
		try (HeldLock next = two().acquire(key())) {
			assertThat(lock.isHeld()).isFalse();
			assertThat(next.fencingToken()).isGreaterThan(lock.fencingToken());
		}
		await().until(() -> notifications.get() == 1);
		await().untilAsserted(() -> assertThat(cut.lost()).containsExactly(key()));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
	}

	@Test
	default void aRenewalLostOnceDoesNotLoseTheLock() {
		assumeExpiry();
		ContractNode watched = stage().node(watchedLease());
		try (HeldLock lock = watched.acquire(key())) {
			watched.backend().loseRequests(Verb.RENEW, 1);
			await().until(() -> watched.renewed() >= 1);
			watched.backend().loseReplies(Verb.RENEW, 1);
			int before = watched.renewed();
			await().until(() -> watched.renewed() > before);
			assertThat(lock.isHeld()).isTrue();
		}
		assertThat(watched.lost()).isEmpty();
	}

	@Test
	default void theLockOfADeadThreadIsReleased() throws Exception {
		Thread dead = new Thread(() -> one().registry().obtain(key()).lock());
		dead.start();
		dead.join();
		two().acquire(key()).close();
		await().untilAsserted(() -> assertThat(one().lost()).containsExactly(key()));
		stage().awaitIdle();
	}

	@Test
	@WholeStore
	default void aHolderOfALockThatTheStoreHasLostIsNotified() {
		assumeExpiry();
		ContractNode watched = stage().node(watchedLease());
		HeldLock lock = watched.acquire(key());
		store().clear();
		await().until(() -> !lock.isHeld());
		await().until(() -> watched.lost().contains(key()));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		assertNextEnters(two(), lock);
	}

}
