package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.waiting.ErrorInjector.Step;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * After an {@link Error} at any step of keeping a lock, or of giving it back, another JVM
 * gets the lock, and no queue is left.
 */
@Execution(ExecutionMode.CONCURRENT)
class KeptLockErrorTests extends KeptLockFixture {

	@ParameterizedTest
	@EnumSource(value = Step.class, mode = EnumSource.Mode.EXCLUDE, names = { "ATTEMPT", "ATTEMPT_AFTER", "CANCEL" })
	void anotherJvmGetsTheLockAfterAnErrorAtAnyStepOfGivingItBack(Step step) throws Exception {
		Holder holder = acquire(this.keeper, LONG);
		this.errors.fail(step, 3);
		try {
			keepOrRelease(this.keeper, holder);
		}
		catch (InternalError ex) {
			assertThat(step).isEqualTo(Step.SCHEDULE);
		}
		Holder next = acquire(this.other, Duration.ZERO);
		this.errors.clear();
		leave(this.other, next);
		awaitUnused();
	}

	@ParameterizedTest
	@EnumSource(value = Step.class, names = { "RELEASE", "RELEASE_AFTER", "EXECUTE", "SCHEDULE", "THREAD_START" })
	void anotherJvmGetsTheLockAfterAnErrorAtAnyStepOfAReleaseThatNoThreadWaitsFor(Step step) throws Exception {
		this.errors.answerReleasesLater();
		Holder holder = acquire(this.keeper, LONG);
		this.errors.fail(step, 3);
		try {
			keepOrRelease(this.keeper, holder);
		}
		catch (InternalError ex) {
			assertThat(step).isEqualTo(Step.SCHEDULE);
		}
		Holder next = acquire(this.other, Duration.ZERO);
		this.errors.clear();
		leave(this.other, next);
		awaitUnused();
	}

	@Test
	void aKeptLockWhoseTimerEndsWithAnErrorGoesBack() throws Exception {
		Holder holder = acquire(this.keeper, Duration.ofSeconds(1));
		assertThat(keepOrRelease(this.keeper, holder)).isEqualTo(ReleaseOutcome.KEPT);
		this.clock.fail(2);
		Awaitility.await().until(() -> this.clock.failures() == 0);
		awaitUnused();
	}

	@Test
	void anErrorWhileACallerEntersLeavesNoHolder() throws Exception {
		keepLong();
		// The first reading is that of the caller, before it joins.
		this.clock.failAfter(1, 1);
		assertThatExceptionOfType(InternalError.class).isThrownBy(() -> acquire(this.keeper, LONG));
		leave(this.keeper, acquire(this.keeper, LONG));
		leave(this.other, acquire(this.other, Duration.ZERO));
		awaitUnused();
	}

}
