package io.github.distlock;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.test.FakeHeldLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Assertions that code runs under its lock, without Spring.
 */
class LockAssertTests {

	/** The locks of the thread, the inner ones first, and the key of the assertion. */
	@ParameterizedTest(name = "{0}: {1}")
	@CsvSource(delimiter = '|',
			textBlock = """
					none             |          | IllegalState | must run under a lock, but this thread holds [] … @DistributedLock
					none             |          | IllegalState | call it from another bean
					held-42          |          |              |
					held-42          | stock-42 |              |
					held-43          | stock-42 | IllegalState | 'stock-42' … holds [stock-43]
					held-43, held-42 | stock-42 |              |
					lost-42          |          | LockLost     | [stock-42]
					lost-42          | stock-42 | LockLost     | [stock-42]
					closed-42        |          | IllegalState | the lock was released before: [stock-42]
					closed-42        | stock-42 | IllegalState | must run under the lock 'stock-42'
					lost-closed-42   |          | LockLost     | [stock-42]
					""",
			quoteCharacter = '"')
	void codeWithoutItsLockIsAProgrammingErrorUnlessTheLockWasLost(String locks, @Nullable String key,
			@Nullable String problem, @Nullable String message) {
		List<HeldLock> all = Arrays.stream(locks.split(", "))
			.filter((lock) -> !lock.equals("none"))
			.map(LockAssertTests::lock)
			.toList();
		try (LockContext.Scope scope = LockContext.openAll(all)) {
			Throwable thrown = catchThrowable(
					(key != null) ? () -> LockAssert.assertLocked(key) : LockAssert::assertLocked);
			assertThat((thrown != null) ? thrown.getClass().getSimpleName() : null)
				.isEqualTo((problem != null) ? problem + "Exception" : null);
			if (message != null) {
				assertThat(thrown).hasMessageContainingAll(message.split(" … "));
			}
		}
		assertThatIllegalStateException().isThrownBy(LockAssert::assertLocked);
	}

	private static HeldLock lock(String state) {
		FakeHeldLock lock = FakeHeldLock.of("stock" + state.substring(state.lastIndexOf('-')));
		if (state.startsWith("lost")) {
			lock.lose();
		}
		if (state.contains("closed")) {
			assertThat(catchThrowable(lock::close) != null).isEqualTo(state.startsWith("lost"));
		}
		return lock;
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
