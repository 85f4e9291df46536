package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.CompletionException;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.waiting.ErrorInjector.Step;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An {@link Error} that ends an attempt or a release reaches the caller and is reported
 * to the listeners, and the registry is idle afterwards.
 */
class ErrorOutcomeTests extends TwoLocalRegistries {

	@Test
	void anAttemptThatEndsWithAnErrorIsReported() {
		this.errors.fail(Step.ATTEMPT, 1);
		assertThatExceptionOfType(InternalError.class).isThrownBy(() -> this.one.acquire(LockRequest.of("key")));
		assertThat(this.events.outcomes()).containsExactly("BACKEND_ERROR");
		assertUsable();
	}

	@Test
	void aWaitThatEndsWithAnErrorIsNoLongerCounted() {
		HeldLock held = this.two.acquire(LockRequest.of("key"));
		this.errors.fail(Step.CANCEL, 1);
		assertThatExceptionOfType(InternalError.class)
			.isThrownBy(() -> this.one.acquire(LockRequest.of("key").waitTime(Duration.ofMillis(100))));
		assertThat(this.events.waiting).hasValue(0);
		assertThat(this.events.outcomes()).containsExactly("BACKEND_ERROR");
		held.close();
		assertUsable();
	}

	@Test
	void anAsynchronousAttemptThatEndsWithAnErrorIsReported() {
		this.errors.fail(Step.ATTEMPT, 1);
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> this.one.acquireAsync(LockRequest.of("key").waitTime(Duration.ZERO)).join())
			.havingRootCause()
			.isInstanceOf(InternalError.class);
		assertThat(this.events.waiting).hasValue(0);
		assertThat(this.events.outcomes()).containsExactly("BACKEND_ERROR");
		assertUsable();
	}

}
