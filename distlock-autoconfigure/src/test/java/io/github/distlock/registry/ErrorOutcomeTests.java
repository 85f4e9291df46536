package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.registry.ErrorInjector.Step;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A command of a store fails with an {@link Error} or with an exception, before it is
 * executed or after. An error reaches the caller and is reported to the listeners, after
 * an exception the caller goes on. In the end the registry is idle.
 */
class ErrorOutcomeTests {

	final RecordedEvents events = new RecordedEvents();

	final ErrorInjector errors = new ErrorInjector();

	final LocalStore store = new LocalStore(TimeSource.SYSTEM);

	/** The registry whose commands fail and whose events are recorded. */
	BackendLockRegistry one;

	BackendLockRegistry two;

	@BeforeEach
	void setUp() {
		LocalLockBackend real = new LocalLockBackend(this.store, 17, TimeSource.SYSTEM);
		this.one = new BackendLockRegistry(this.errors.before(real), RedisNodes.settings(Duration.ofSeconds(30)),
				List.of(this.events), TimeSource.SYSTEM);
		this.two = new BackendLockRegistry(new LocalLockBackend(this.store, 17, TimeSource.SYSTEM),
				RedisNodes.settings(Duration.ofSeconds(30)), List.of(), TimeSource.SYSTEM);
		this.one.start();
		this.two.start();
	}

	@AfterEach
	void tearDown() {
		this.errors.clear();
		this.one.shutdown();
		this.two.shutdown();
		this.errors.close();
	}

	/** Both JVMs get the lock, and no queue is left in either. */
	void assertUsable() {
		LockRequest request = LockRequest.of("key").waitTime(Duration.ofSeconds(20));
		this.two.acquire(request).close();
		this.one.acquire(request).close();
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> this.one.snapshot().isIdle() && this.two.snapshot().isIdle());
	}

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

	@ParameterizedTest
	@EnumSource(names = { "ATTEMPT", "ATTEMPT_AFTER" })
	void aCallerGetsTheLockByARepeatedCommand(Step step) {
		this.errors.throwExceptions();
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
		this.errors.throwExceptions();
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
		this.errors.throwExceptions();
		HeldLock lock = this.one.acquire(LockRequest.of("key"));
		this.errors.fail(step, 3);
		lock.close();
		assertThat(this.events.released).containsExactly("key");
		assertUsable();
		assertThat(this.events.lost).isEmpty();
	}

}
