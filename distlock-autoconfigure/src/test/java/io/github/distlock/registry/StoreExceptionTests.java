package io.github.distlock.registry;

import java.time.Duration;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.waiting.ErrorInjector.Step;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A command of a store throws an exception, before it is executed or after: the caller
 * goes on, and the registry is idle afterwards.
 */
class StoreExceptionTests extends TwoLocalRegistries {

	StoreExceptionTests() {
		this.errors.throwExceptions();
	}

	@ParameterizedTest
	@EnumSource(names = { "ATTEMPT", "ATTEMPT_AFTER" })
	void aCallerGetsTheLockByARepeatedCommand(Step step) {
		this.errors.fail(step, 1);
		HeldLock lock = this.one.acquire(LockRequest.of("key"));
		assertThat(this.events.outcomes()).containsExactly("ACQUIRED");
		assertThat(this.two.tryAcquire(LockRequest.of("key").waitTime(Duration.ZERO))).isEmpty();
		lock.close();
		assertThat(this.events.released).containsExactly("key");
		assertUsable();
	}

	@ParameterizedTest
	@EnumSource(names = { "RELEASE", "RELEASE_AFTER" })
	void aReleaseIsReportedAndContinues(Step step) {
		HeldLock lock = this.one.acquire(LockRequest.of("key"));
		this.errors.fail(step, 1);
		lock.close();
		assertThat(lock.isHeld()).isFalse();
		assertThat(this.events.released).containsExactly("key");
		assertUsable();
		assertThat(this.events.lost).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "RELEASE", "RELEASE_AFTER" })
	void aReleaseThatFailsAgainIsRepeated(Step step) {
		HeldLock lock = this.one.acquire(LockRequest.of("key"));
		this.errors.fail(step, 3);
		lock.close();
		assertThat(this.events.released).containsExactly("key");
		assertUsable();
		assertThat(this.events.lost).isEmpty();
	}

}
