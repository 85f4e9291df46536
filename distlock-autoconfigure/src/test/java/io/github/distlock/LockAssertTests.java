package io.github.distlock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.test.FakeHeldLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Assertions that code runs under its lock, without Spring.
 */
class LockAssertTests {

	@Test
	void codeWithoutALockIsAProgrammingErrorAndNotContention() {
		assertThatIllegalStateException().isThrownBy(LockAssert::assertLocked)
			.withMessageContainingAll("must run under a lock, but this thread holds []", "@DistributedLock",
					"call it from another bean");
	}

	@Test
	void codeUnderALockPasses() {
		try (LockContext.Scope scope = LockContext.open(FakeHeldLock.of("stock-42"))) {
			assertThatNoException().isThrownBy(LockAssert::assertLocked);
			assertThatNoException().isThrownBy(() -> LockAssert.assertLocked("stock-42"));
		}
		assertThatIllegalStateException().isThrownBy(LockAssert::assertLocked);
	}

	@Test
	void anotherKeyIsNotEnough() {
		try (LockContext.Scope scope = LockContext.open(FakeHeldLock.of("stock-43"))) {
			assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertLocked("stock-42"))
				.withMessageContainingAll("'stock-42'", "holds [stock-43]");
		}
	}

	@Test
	void anOuterLockIsEnough() {
		try (LockContext.Scope outer = LockContext.open(FakeHeldLock.of("stock-42"));
				LockContext.Scope inner = LockContext.open(FakeHeldLock.of("stock-43"))) {
			assertThatNoException().isThrownBy(() -> LockAssert.assertLocked("stock-42"));
		}
	}

	@Test
	void aLostLockIsReportedAsLost() {
		FakeHeldLock lock = FakeHeldLock.of("stock-42");
		lock.lose();
		try (LockContext.Scope scope = LockContext.open(lock)) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(LockAssert::assertLocked)
				.withMessageContaining("[stock-42]");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> LockAssert.assertLocked("stock-42"));
		}
	}

	@Test
	void codeThatOutlivesAReleasedLockIsAProgrammingErrorAndNotALoss() {
		FakeHeldLock lock = FakeHeldLock.of("stock-42");
		lock.close();
		try (LockContext.Scope scope = LockContext.open(lock)) {
			assertThatIllegalStateException().isThrownBy(LockAssert::assertLocked)
				.withMessageContaining("the lock was released before: [stock-42]");
			assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertLocked("stock-42"))
				.withMessageContaining("must run under the lock 'stock-42'");
		}
	}

	@Test
	void aLockThatWasLostAndThenClosedIsReportedAsLost() {
		FakeHeldLock lock = FakeHeldLock.of("stock-42");
		lock.lose();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		try (LockContext.Scope scope = LockContext.open(lock)) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(LockAssert::assertLocked);
		}
	}

	@Test
	void suspendedAssertionsPassUntilTheOutermostScopeIsClosed() {
		try (LockContext.Scope outer = LockAssert.suspend()) {
			try (LockContext.Scope inner = LockAssert.suspend()) {
				LockAssert.assertLocked();
			}
			assertThatNoException().isThrownBy(() -> LockAssert.assertLocked("stock-42"));
		}
		assertThatIllegalStateException().isThrownBy(LockAssert::assertLocked);
	}

	@Test
	void suspendingAssertionsAffectsOnlyTheCallingThread() {
		try (LockContext.Scope scope = LockAssert.suspend()) {
			assertThat(CompletableFuture.runAsync(LockAssert::assertLocked)).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(IllegalStateException.class);
		}
	}

}
