package io.github.distlock.waiting;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HandOff;
import io.github.distlock.LockMode;
import io.github.distlock.backend.TimeSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two JVMs share the key of a lock that one of them keeps.
 */
@Execution(ExecutionMode.CONCURRENT)
class KeptLockTests extends KeptLockFixture {

	@Test
	void aTryOfAnotherJvmGetsTheKeptLock() throws Exception {
		keepLong();
		leave(this.other, Objects.requireNonNull(tryOnce(this.other), "not acquired"));
		awaitUnused();
	}

	@Test
	void anAsynchronousTryOfAnotherJvmGetsTheKeptLock() throws Exception {
		keepLong();
		Holder holder = this.other.acquireAsync(request(Duration.ZERO, Duration.ZERO)).get(20, TimeUnit.SECONDS);
		leave(this.other, Objects.requireNonNull(holder, "not acquired"));
		awaitUnused();
	}

	@Test
	void aTryWhoseRequestIsLostFailsAfterTheTimeOut() throws Exception {
		this.backend.losesRequests = true;
		LockAcquirer hasty = acquirer("hasty", this.noErrors, TimeSource.SYSTEM, Duration.ofMillis(200));
		keepLong();
		assertThat(tryOnce(hasty)).isNull();
		assertThat(this.keeper.snapshot()).singleElement().extracting(KeySnapshot::kept).isNotNull();
	}

	@Test
	void aFairCallerOfTheSameJvmGetsTheKeptLock() throws Exception {
		keepLong();
		WaitRequest fair = new WaitRequest("key", LockMode.EXCLUSIVE, true, LEASE, Duration.ofSeconds(15), 0,
				Integer.MAX_VALUE, (since) -> {
				});
		Holder holder = this.threads.submit(() -> this.keeper.acquire(fair, true)).get(20, TimeUnit.SECONDS);
		leave(this.keeper, Objects.requireNonNull(holder, "not acquired"));
		awaitUnused();
	}

	@Test
	void closingGivesKeptLocksBackAndKeepsNoMore() throws Exception {
		Holder inside = acquire(this.keeper, "other key", LONG);
		keepLong();
		this.keeper.close();
		assertThat(keepOrRelease(this.keeper, inside)).isEqualTo(ReleaseOutcome.RELEASED);
		Awaitility.await().until(() -> this.keeper.snapshot().isEmpty());
	}

	@Test
	void theNumberOfKeptLocksIsLimitedAndACallerBeyondReleasesItsLockItself() throws Exception {
		keepAsManyAsAllowed();
		assertThat(use(this.keeper, "one more")).isEqualTo(ReleaseOutcome.RELEASED);
		// A caller that enters makes room, until it leaves.
		Holder holder = acquire(this.keeper, "key-0", LONG);
		assertThat(holder.handOff()).isEqualTo(HandOff.KEPT);
		assertThat(use(this.keeper, "one more")).isEqualTo(ReleaseOutcome.KEPT);
		assertThat(keepOrRelease(this.keeper, holder)).isEqualTo(ReleaseOutcome.RELEASED);
		this.keeper.releases().giveBackAll();
		awaitUnused();
		keepAsManyAsAllowed();
	}

	@Test
	void aKeptLockWhoseReleaseIsUnansweredCountsUntilTheAnswer() throws Exception {
		this.errors.answerReleasesLater();
		keepAsManyAsAllowed();
		this.backend.holdAnswersBack("key");
		this.keeper.releases().giveBackAll();
		Awaitility.await().until(() -> this.keeper.snapshot().stream().allMatch((key) -> key.kept() == null));
		assertThat(use(this.keeper, "one more")).isEqualTo(ReleaseOutcome.RELEASED);
		this.backend.answer();
		awaitUnused();
		assertThat(use(this.keeper, "one more")).isEqualTo(ReleaseOutcome.KEPT);
	}

	@Test
	void noThreadWaitsForTheAnswersToTheReleasesOfKeptLocks() throws Exception {
		this.errors.answerReleasesLater();
		this.clock.stop();
		// More than the executor has threads.
		for (int key = 0; key < 100; key++) {
			use(this.keeper, "key-" + key);
		}
		this.backend.holdAnswersBack("key");
		this.keeper.releases().giveBackAll();
		// A thread of the executor sends the attempt of an asynchronous caller.
		Holder holder = this.keeper.acquireAsync(request("free", Duration.ofSeconds(20), Duration.ZERO))
			.get(20, TimeUnit.SECONDS);
		leave(this.keeper, Objects.requireNonNull(holder, "not acquired"));
		assertThat(this.keeper.releases().isAnyUnanswered()).isTrue();
		this.backend.answer();
		awaitUnused();
	}

}
