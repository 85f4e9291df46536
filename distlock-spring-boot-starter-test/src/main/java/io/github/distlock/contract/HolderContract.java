package io.github.distlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LossCause;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.backend.RenewalResult;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a thread can do with a lock that it holds, has lost or has closed.
 */
interface HolderContract extends ContractTests {

	@Test
	default void anInterruptedThreadDoesNotEnterAgainWhereLockThrows() throws Exception {
		Lock lock = one().registry().obtain(key());
		lock.lock();
		try {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock.tryLock(0, TimeUnit.SECONDS));
			Thread.currentThread().interrupt();
			assertThat(lock.tryLock()).isTrue();
			lock.lock();
			assertThat(Thread.interrupted()).isTrue();
			lock.unlock();
			lock.unlock();
		}
		finally {
			Thread.interrupted();
			lock.unlock();
		}
		assertThat(two().takes(key())).isTrue();
	}

	@Test
	default void aReaderWithAnExpiredLeaseThatAsksToWriteIsNotifiedOfTheLoss() {
		assumeReaders();
		HeldLock reader = one().acquire(key(), LockMode.READ);
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> one().acquire(key(), LockMode.WRITE));
		ControlledLock.expireAfter(reader, store().shortLease());
		await().until(() -> !reader.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> one().acquire(key(), LockMode.WRITE));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(reader::close);
		one().acquire(key(), LockMode.WRITE).close();
	}

	@Test
	default void aThreadEntersAnewAfterAnotherThreadHasClosedItsLostLock() {
		HeldLock lost = one().registry().acquire(request().leaseTime(store().shortLease()));
		await().until(() -> !lost.isHeld());
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> CompletableFuture.runAsync(lost::close).join())
			.withCauseInstanceOf(LockLostException.class);
		one().acquire(key()).close();
	}

	@Test
	default void aLockWhoseSessionThrowsHangsOrLiesIsLostWhenItIsToBeConfirmed() {
		assertLostUnlessConfirmed(() -> {
			throw new LockBackendException("The session throws");
		});
		assertLostUnlessConfirmed(() -> new CompletableFuture<List<RenewalResult>>()
			.orTimeout(store().shortLease().toMillis(), TimeUnit.MILLISECONDS));
		// The session says that it is alive.
		assertLostUnlessConfirmed(() -> CompletableFuture.completedFuture(List.of(new RenewalResult.Gone(false))));
	}

	private void assertLostUnlessConfirmed(Supplier<CompletionStage<List<RenewalResult>>> confirmation) {
		one().backend().bindToSession(confirmation);
		HeldLock lock = one().acquire(key());
		CompletableFuture<Boolean> notified = new CompletableFuture<>();
		lock.onLost(() -> notified.complete(true));
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.confirmHeld()).isFalse();
		await().until(notified::isDone);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		awaitFree();
	}

	@Test
	default void aClosedLockCannotBeGivenALease() {
		HeldLock outer = one().acquire(key());
		HeldLock inner = one().acquire(key());
		inner.close();
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> ControlledLock.expireAfter(inner, Duration.ofSeconds(10)));
		outer.close();
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> ControlledLock.expireAfter(outer, Duration.ofSeconds(10)))
			.withMessageContaining("was closed before");
	}

	@Test
	default void aLockReportsThatItsOwnLeaseHasExpired() {
		HeldLock lock = one().acquire(key());
		assertThat(lock.lossCause()).isNull();
		ControlledLock.expireAfter(lock, store().shortLease());
		await().until(() -> !lock.isHeld());
		assertThat(lock.lossCause()).isEqualTo(LossCause.LEASE_EXPIRED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.satisfies((thrown) -> assertThat(thrown.lossCause()).isEqualTo(LossCause.LEASE_EXPIRED));
		assertThat(lock.isReleased()).isFalse();
	}

	@Test
	default void aLockThatIsClosedInTimeIsReleased() {
		HeldLock lock = one().acquire(key());
		assertThat(lock.isReleased()).isFalse();
		lock.close();
		assertThat(lock.isReleased()).isTrue();
		assertThat(lock.lossCause()).isNull();
	}

}
