package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The verdict over the answers of the nodes.
 */
class QuorumTests {

	@Test
	void aVerdictOverNoAnswersFails() {
		Quorum quorum = new Quorum(List.of(),
				new RedlockSettings("distlock:", Duration.ofSeconds(1), Duration.ofSeconds(30), 17), TimeSource.SYSTEM,
				RandomGenerator.getDefault());
		CompletableFuture<Boolean> verdict = quorum.decide("release", "key", List.of(), quorum::agreed);
		assertThat(verdict).failsWithin(Duration.ofSeconds(5))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockBackendException.class)
			.withMessageContaining("release of lock 'key'");
	}

}
