package io.github.distlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.contract.ContractTests.WholeStore;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Releases in the background: the caller does not wait for the store's answer.
 */
interface BackgroundReleaseContract extends ExclusionContract {

	/** How often a caller acquires a lock that it has just released. */
	int REPETITIONS = 100;

	@Test
	default void contendersThatReleaseInTheBackgroundExcludeEachOtherAndTheirTokensIncrease() throws Exception {
		contend(List.of(stage().releasingNode(), stage().releasingNode(), two()));
	}

	@Test
	default void aReleaseInTheBackgroundReturnsBeforeItsAnswer() throws Exception {
		ContractNode node = stage().releasingNode();
		HeldLock lock = node.acquire(key());
		CompletableFuture<Boolean> replies = node.backend().holdReleaseReplies();
		try {
			stage().get(stage().inThread(() -> {
				lock.close();
				return true;
			}));
			assertThat(lock.isHeld()).isFalse();
			two().acquire(key()).close();
			Future<HeldLock> next = stage().inThread(() -> node.acquire(key()));
			replies.complete(true);
			stage().get(next).close();
		}
		finally {
			replies.complete(true);
		}
		stage().awaitIdle();
	}

	@Test
	default void aCallerIsNotRefusedByItsOwnReleaseInTheBackground() {
		assertNotRefused(List.of(once()));
	}

	@Test
	default void aFairCallerIsNotRefusedByItsOwnReleaseInTheBackground() {
		assumeOrder();
		assertNotRefused(List.of(once(), once().fair(true), once().fair(true)));
	}

	@Test
	default void aReaderOrWriterIsNotRefusedByItsOwnReleaseInTheBackground() {
		assumeReaders();
		assertNotRefused(List.of(once().mode(LockMode.WRITE), once().mode(LockMode.READ)));
	}

	private void assertNotRefused(List<LockRequest> requests) {
		ContractNode node = stage().releasingNode();
		assumeTrue(requests.size() == 1 || node.backend().callersSendReleases(),
				"A thread of the library sends releases: a caller in another mode does not wait for them");
		int refused = 0;
		for (int i = 0; i < REPETITIONS * requests.size(); i++) {
			Optional<HeldLock> lock = node.registry().tryAcquire(requests.get(i % requests.size()));
			lock.ifPresent(HeldLock::close);
			refused += lock.isPresent() ? 0 : 1;
		}
		assertThat(refused).as("attempts that were refused although the caller had released the lock").isZero();
		stage().awaitIdle();
	}

	@Test
	default void aReleaseInTheBackgroundWhoseReplyIsLostEndsReleased() {
		ContractNode node = stage().releasingNode();
		HeldLock lock = node.acquire(key());
		node.backend().loseReplies(Verb.RELEASE, 2);
		lock.close();
		node.acquire(key()).close();
		awaitFree();
		assertThat(node.lost()).isEmpty();
		assertThat(node.lostBeforeRelease()).isEmpty();
	}

	@Test
	default void aReleaseInTheBackgroundThatIsLostIsRepeated() {
		ContractNode node = stage().releasingNode();
		HeldLock lock = node.acquire(key());
		node.backend().loseRequests(Verb.RELEASE, 2);
		lock.close();
		awaitFree();
	}

	@Test
	@WholeStore
	default void aLossThatOnlyTheStoreKnowsIsReportedAfterAReleaseInTheBackground() {
		assumeExpiry();
		ContractNode node = stage().releasingNode();
		HeldLock lock = node.acquire(key());
		store().clear();
		boolean answeredAtOnce = isLostAtClose(lock);
		await().untilAsserted(
				() -> assertThat(answeredAtOnce ? node.lost() : node.lostBeforeRelease()).containsExactly(key()));
		assertThat(answeredAtOnce ? node.lostBeforeRelease() : node.lost()).isEmpty();
		stage().awaitIdle();
	}

	private static boolean isLostAtClose(HeldLock lock) {
		try {
			lock.close();
			return false;
		}
		catch (LockLostException ex) {
			return true;
		}
	}

	@Test
	default void aShutdownAfterReleasesInTheBackgroundLeavesNothingLocked() {
		ContractNode node = stage().releasingNode();
		for (int i = 0; i < 20; i++) {
			node.acquire(key() + i).close();
		}
		node.stop();
		for (int i = 0; i < 20; i++) {
			assertThat(two().takes(key() + i)).as("lock %d is free", i).isTrue();
		}
	}

	@Test
	default void theReleaseOfALockWithAMinimumHoldTimeReturnsAfterItsAnswer() throws Exception {
		ContractNode node = stage().releasingNode();
		HeldLock lock = node.registry().acquire(request().leaseTime(Stage.LEASE).minHold(Duration.ofMillis(1)));
		await().until(() -> lock.remaining().compareTo(Stage.LEASE.minusMillis(5)) < 0);
		CompletableFuture<Boolean> replies = node.backend().holdReleaseReplies();
		Future<Boolean> release = stage().inThread(() -> {
			lock.close();
			return true;
		});
		try {
			two().acquire(key()).close();
			assertThat(release.isDone()).isFalse();
		}
		finally {
			replies.complete(true);
		}
		assertThat(stage().get(release)).isTrue();
	}

}
