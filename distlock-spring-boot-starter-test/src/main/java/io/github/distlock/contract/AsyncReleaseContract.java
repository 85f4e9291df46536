package io.github.distlock.contract;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.contract.ContractTests.WholeStore;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Releases whose answer no thread waits for, and the caller learns.
 */
interface AsyncReleaseContract extends ContractTests {

	@Test
	default void aFutureReleaseDoesNotBlockAndCompletesWithTheAnswerOfTheStore() throws Exception {
		HeldLock lock = one().acquire(key());
		CompletableFuture<Boolean> replies = one().backend().holdReleaseReplies();
		CompletableFuture<Void> closed;
		CompletableFuture<Thread> dependent;
		try {
			closed = lock.closeAsync();
			dependent = closed.thenApply((nothing) -> Thread.currentThread());
			assertThat(lock.isHeld()).isFalse();
			two().acquire(key()).close();
			assertThat(closed).isNotDone();
		}
		finally {
			replies.complete(true);
		}
		// First: a thread that waits for a future runs its dependent stages, too.
		assertThat(stage().get(dependent)).as("not the thread on which the answer arrives")
			.isNotSameAs(Thread.currentThread());
		stage().get(closed);
		assertThat(lock.isReleased()).isTrue();
		stage().awaitIdle();
	}

	@Test
	default void aFutureReleaseUndoesOneLevel() throws Exception {
		HeldLock outer = one().acquire(key());
		HeldLock inner = one().acquire(key());
		stage().get(inner.closeAsync());
		assertThat(inner.isHeld()).isFalse();
		assertThat(outer.isHeld()).isTrue();
		assertThat(two().finds(key())).isFalse();
		stage().get(outer.closeAsync());
		assertThat(two().takes(key())).isTrue();
	}

	@Test
	default void aLockIsClosedOnceWithOrWithoutAFuture() throws Exception {
		HeldLock lock = one().acquire(key());
		CompletableFuture<Void> first = lock.closeAsync();
		CompletableFuture<Void> second = lock.closeAsync();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::close);
		stage().get(first);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> stage().get(second))
			.withCauseInstanceOf(IllegalMonitorStateException.class);
		assertThat(lock.isReleased()).isTrue();
		stage().awaitIdle();
	}

	@Test
	default void aFutureReleasePassesTheLockToTheNextCaller() throws Exception {
		HeldLock lock = one().acquire(key());
		Future<HeldLock> next = waiter(one(), patient());
		stage().get(lock.closeAsync());
		HeldLock taken = stage().get(next);
		assertThat(taken.fencingToken()).isGreaterThan(lock.fencingToken());
		stage().get(taken.closeAsync());
		awaitFree();
	}

	@Test
	default void aFutureReleaseThatIsLostIsRepeatedAndCompletes() throws Exception {
		HeldLock lock = one().acquire(key());
		one().backend().loseRequests(Verb.RELEASE, 2);
		stage().get(lock.closeAsync());
		assertThat(lock.isReleased()).isTrue();
		awaitFree();
		assertThat(one().lost()).isEmpty();
	}

	@Test
	@WholeStore
	default void aFutureReleaseFailsIfTheStoreNoLongerKnowsTheLock() {
		assumeExpiry();
		HeldLock lock = one().acquire(key());
		CompletableFuture<Void> lost = new CompletableFuture<>();
		lock.onLost(() -> lost.complete(null));
		store().clear();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> stage().get(lock.closeAsync()))
			.withCauseInstanceOf(LockLostException.class);
		assertThat(lock.isReleased()).isFalse();
		assertThat(lock.lossCause()).isNotNull();
		await().until(() -> lost.isDone() && one().lost().equals(List.of(key())));
		stage().awaitIdle();
	}

}
