package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.engine.HandOffLimits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks in their minimum hold time when the registry is shut down or the store fails.
 */
class MinimumHoldTimeTests {

	private static final LockRequest LONG = LockRequest.of("kept").minHold(Duration.ofMinutes(1));

	private final Store store = new Store();

	private @Nullable BackendLockRegistry registry;

	private BackendLockRegistry start(@Nullable Duration maxHoldTime) {
		BackendLockRegistry started = CheckedEnvironment.registry(this.store,
				TestSettings.of(Duration.ofSeconds(5), Duration.ofSeconds(30), maxHoldTime,
						new HandOffLimits(16, Duration.ofMillis(50)), Duration.ofSeconds(10), false,
						Duration.ofMillis(20)),
				List.of(), this.store.clock);
		started.start();
		this.registry = started;
		return started;
	}

	@AfterEach
	void stop() {
		if (this.registry != null) {
			this.registry.shutdown();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aShutdownReleasesThemIfTheStoreHasNoLeases(boolean expires) {
		this.store.expires = expires;
		BackendLockRegistry brief = start(null);
		brief.acquire(LONG).close();
		assertThat(this.store.released).hasValue(0);
		brief.shutdown();
		assertThat(this.store.released).hasValue(expires ? 0 : 1);
	}

	@Test
	void aStoreWithoutLeasesReleasesThemForAHolderThatOutlivesTheShutdown() {
		this.store.expires = false;
		BackendLockRegistry brief = start(null);
		HeldLock held = brief.acquire(LONG);
		brief.shutdown();
		assertThat(this.store.released).hasValue(0);
		held.close();
		assertThat(this.store.released).hasValue(1);
	}

	@Test
	void aReleaseIsRepeatedForAsLongAsTheStoreKeepsTheLock() {
		this.store.failing = true;
		start(null).acquire(LockRequest.of("kept").minHold(Duration.ofMillis(50))).close();
		await().untilAsserted(() -> assertThat(this.store.asked).hasPositiveValue());
		this.store.clock.aheadSeconds = 8;
		int before = this.store.asked.get();
		await().untilAsserted(() -> assertThat(this.store.asked).hasValueGreaterThan(before + 1));
		this.store.failing = false;
		await().untilAsserted(() -> assertThat(this.store.released).hasValue(1));
	}

	@Test
	void aHoldMustNotExpireBeforeItsMinimumHoldTime() {
		try (HeldLock lock = start(null).acquire(LONG)) {
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(() -> ControlledLock.expireAfter(lock, Duration.ofSeconds(1)))
				.withMessageContaining("'kept'")
				.withMessageContaining("PT1S")
				.withMessageContaining("minHold");
			ControlledLock.expireAfter(lock, Duration.ofMinutes(1));
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT-1S", "PT11S" })
	void aMinimumHoldTimeThatCannotBeKeptIsRefused(Duration minHold) {
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockRequest.of("bad").leaseTime(Duration.ofSeconds(10)).minHold(minHold))
			.withMessageContaining("minimum hold time of lock 'bad' is " + minHold);
	}

	@Test
	void aMinimumHoldTimeBeyondTheMaximumHoldTimeIsRefused() {
		BackendLockRegistry limited = start(Duration.ofSeconds(30));
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> limited.acquire(LONG))
			.withMessageContaining("'kept'")
			.withMessageContaining("PT1M")
			.withMessageContaining("distlock.max-hold-time");
		ControlledLock.abandon(limited.acquire(LONG.leaseTime(Duration.ofMinutes(2))));
	}

	/** The system clock with a variable offset. */
	private static final class Clock implements TimeSource {

		private volatile long aheadSeconds;

		@Override
		public long nanoTime() {
			return SYSTEM.nanoTime() + this.aheadSeconds * 1_000_000_000;
		}

		@Override
		public long wallMillis() {
			return SYSTEM.wallMillis() + this.aheadSeconds * 1_000;
		}

	}

	/** Grants every attempt. */
	private static final class Store extends IdleStore {

		private final Clock clock = new Clock();

		private final AtomicInteger asked = new AtomicInteger();

		private final AtomicInteger released = new AtomicInteger();

		private volatile boolean expires = true;

		private volatile boolean failing;

		@Override
		public BackendDescription description() {
			return new BackendDescription("scripted", Set.of(LockMode.EXCLUSIVE), false, this.expires, 1, Duration.ZERO,
					100);
		}

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
			return CompletableFuture.completedFuture(new Grant(1, 1, validity(lease)));
		}

		private Validity validity(Duration lease) {
			return this.expires ? Validity.until(this.clock.now(), lease) : Validity.session(() -> Long.MAX_VALUE);
		}

		@Override
		public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
			this.asked.incrementAndGet();
			if (this.failing) {
				throw new LockBackendException("no answer");
			}
			this.released.incrementAndGet();
			return CompletableFuture.completedFuture(new ReleaseResult(true, null));
		}

		@Override
		public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
			return CompletableFuture.completedFuture(renewals.stream()
				.<RenewalResult>map((renewal) -> new RenewalResult.Extended(validity(renewal.lease())))
				.toList());
		}

	}

}
