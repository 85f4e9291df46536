package io.github.distlock.contract;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The downgrade of a writer to a reader, if the store offers it: other readers enter, no
 * writer does, and the lock is never free between.
 */
interface DowngradeContract extends ContractTests {

	@Test
	default void aDowngradedWriterAdmitsReadersAndKeepsWritersOut() {
		assumeReaders();
		HeldLock writer = one().acquire(key(), LockMode.WRITE);
		HeldLock reader = one().acquire(key(), LockMode.READ);
		int commands = one().backend().calls(Verb.ATTEMPT) + one().backend().calls(Verb.RELEASE);
		long written = writer.fencingToken();
		assertThat(reader.fencingToken()).isEqualTo(written);
		writer.close();
		assertThat(one().backend().calls(Verb.ATTEMPT) + one().backend().calls(Verb.RELEASE)).isEqualTo(commands + 1);
		assertThat(writer.isHeld()).isFalse();
		assertThat(reader.isHeld()).isTrue();
		assertThat(reader.fencingToken()).isGreaterThan(written);
		assertThat(two().finds(key(), LockMode.READ)).isTrue();
		assertThat(two().finds(key(), LockMode.WRITE)).isFalse();
		// Inside, it is a reader.
		one().acquire(key(), LockMode.READ).close();
		reader.close();
		assertThat(two().finds(key(), LockMode.WRITE)).isTrue();
		stage().awaitIdle();
	}

	@Test
	default void aDowngradePrecedesWaitingWriters() throws Exception {
		assumeReaders();
		assumeOrder();
		HeldLock writer = one().acquire(key(), LockMode.WRITE);
		HeldLock reader = one().acquire(key(), LockMode.READ);
		Future<HeldLock> early = queues(two(), LockMode.READ);
		Future<HeldLock> next = queues(two(), LockMode.WRITE);
		// It shares the key's queue with the writer that leaves.
		Future<HeldLock> near = stage()
			.inThread(() -> one().registry().acquire(request().mode(LockMode.WRITE).waitTime(LockRequest.FOREVER)));
		await().until(() -> one().waiting() == 1);
		writer.close();
		HeldLock other = stage().get(early);
		assertThat(reader.isHeld()).isTrue();
		assertThat(other.fencingToken()).isGreaterThan(reader.fencingToken());
		assertThat(next.isDone() || near.isDone()).isFalse();
		other.close();
		assertThat(next.isDone() || near.isDone()).isFalse();
		reader.close();
		HeldLock last = stage().get(next);
		assertThat(last.fencingToken()).isGreaterThan(Math.max(reader.fencingToken(), other.fencingToken()));
		last.close();
		stage().get(near).close();
		stage().awaitIdle();
	}

	private Future<HeldLock> queues(ContractNode node, LockMode mode) {
		int before = node.backend().queued();
		Future<HeldLock> waiter = stage()
			.inThread(() -> node.registry().acquire(request().mode(mode).waitTime(LockRequest.FOREVER)));
		await().until(() -> node.backend().queued() > before);
		return waiter;
	}

	@Test
	default void aDowngradedWriterIsRenewedAsAReader() {
		assumeReaders();
		assumeExpiry();
		Duration lease = watchedLease();
		ContractNode watched = stage().node(lease);
		HeldLock writer = watched.acquire(key(), LockMode.WRITE);
		try (HeldLock reader = watched.acquire(key(), LockMode.READ)) {
			writer.close();
			await().during(lease.plus(lease.dividedBy(2)))
				.pollInterval(Duration.ofMillis(50))
				.until(() -> reader.isHeld() && !two().finds(key(), LockMode.WRITE));
		}
		assertThat(watched.lost()).isEmpty();
	}

	@Test
	default void aDowngradeDoesNotExtendAnExplicitLeaseAndTheReaderIsNotifiedOfItsLoss() {
		assumeReaders();
		AtomicInteger notifications = new AtomicInteger();
		Duration lease = store().shortLease().multipliedBy(2);
		HeldLock writer = one().registry().acquire(request().mode(LockMode.WRITE).leaseTime(lease));
		HeldLock reader = one().acquire(key(), LockMode.READ);
		reader.onLost(notifications::incrementAndGet);
		Duration before = reader.remaining();
		writer.close();
		assertThat(reader.remaining()).isLessThanOrEqualTo(before);
		await().until(() -> notifications.get() == 1);
		assertThat(reader.isHeld()).isFalse();
		assertThat(one().lost()).containsExactly(key());
		two().acquire(key(), LockMode.WRITE).close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(reader::close);
		stage().awaitIdle();
	}

	@Test
	default void aDowngradeWhoseReplyIsLostCountsAsLostAndIsUndone() {
		assumeReaders();
		AtomicInteger notifications = new AtomicInteger();
		HeldLock writer = one().acquire(key(), LockMode.WRITE);
		HeldLock reader = one().acquire(key(), LockMode.READ);
		reader.onLost(notifications::incrementAndGet);
		one().backend().loseReplies(Verb.RELEASE, 1);
		writer.close();
		assertThat(reader.isHeld()).isFalse();
		await().until(() -> notifications.get() == 1);
		assertThat(one().lost()).containsExactly(key());
		two().acquire(key(), LockMode.WRITE).close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(reader::close);
		stage().awaitIdle();
		assertThat(notifications).hasValue(1);
		one().acquire(key(), LockMode.WRITE).close();
	}

	@Test
	@WholeStore
	default void aWriterThatTheStoreHasLostIsNotDowngraded() {
		assumeReaders();
		HeldLock writer = one().acquire(key(), LockMode.WRITE);
		HeldLock reader = one().acquire(key(), LockMode.READ);
		store().clear();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(writer::close);
		assertThat(reader.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(reader::close);
		assertThat(one().lost()).containsExactly(key());
		two().acquire(key(), LockMode.WRITE).close();
		stage().awaitIdle();
	}

}
