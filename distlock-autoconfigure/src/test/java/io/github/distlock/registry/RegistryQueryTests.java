package io.github.distlock.registry;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.jspecify.annotations.Nullable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.HeldLock;
import io.github.distlock.LockHolder;
import io.github.distlock.LockInstance;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The snapshot of a registry, and queries of a lock whose lease has expired before the
 * timer of the library finds it. Then what holds a lock, in exceptions and log lines, and
 * the end of a grant by an operator: two registries of two applications over one store.
 */
@ExtendWith(OutputCaptureExtension.class)
class RegistryQueryTests implements LockListener {

	/** Long enough for an answer that names the holder, on a busy machine. */
	private static final LockRequest SHORT = LockRequest.of("key").name("orders").waitTime(Duration.ofMillis(500));

	private static final LockRequest LONG = LockRequest.of("key").name("orders").waitTime(Duration.ofSeconds(30));

	private final ManualClock clock = new ManualClock();

	private final RecordedEvents events = new RecordedEvents();

	private final LocalStore store = new LocalStore(TimeSource.SYSTEM);

	private final BackendLockRegistry orders = registry("order-service");

	private final BackendLockRegistry shop = registry("shop");

	private Runnable whenReleased = () -> {
	};

	private final BackendLockRegistry registry = new BackendLockRegistry(
			new LocalLockBackend(new LocalStore(this.clock), 1, this.clock),
			TestSettings.of(Duration.ofSeconds(5), Duration.ofMinutes(30), null, TestSettings.NO_HAND_OFF,
					Duration.ofSeconds(10), true, Duration.ZERO),
			() -> List.of(this.events, this), CheckedEnvironment.withoutTimers(this.clock), LockObservers.NONE);

	@BeforeEach
	void start() {
		this.registry.start();
		this.orders.start();
		this.shop.start();
	}

	@AfterEach
	void stop() {
		Thread.interrupted();
		this.registry.shutdown();
		this.orders.shutdown();
		this.shop.shutdown();
	}

	@Override
	public void onReleased(Released event) {
		this.whenReleased.run();
	}

	@Test
	void queriesOfAnExpiredLockNotifyNoListenerAndInterruptNoThread() {
		AtomicBoolean notified = new AtomicBoolean();
		HeldLock lock = this.registry.acquire(LockRequest.of("pure").leaseTime(Duration.ofMinutes(10)));
		lock.onLost(() -> notified.set(true));
		this.clock.pass(Duration.ofMinutes(11));
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.remaining()).isZero();
		assertThat(lock.isReleased()).isFalse();
		assertThat(lock).hasToString("HeldLock[pure, token " + lock.fencingToken() + ", not held]");
		assertThat(this.registry.snapshot().held()).extracting(HeldLockSnapshot::remaining)
			.containsExactly(Duration.ZERO);
		assertThat(this.events.lost).isEmpty();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(notified).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		assertThat(this.events.lost).containsExactly("pure");
	}

	@Test
	void aReentryOfAnExpiredLockReportsTheLoss() {
		HeldLock lock = this.registry.acquire(LockRequest.of("again").leaseTime(Duration.ofMinutes(10)));
		this.clock.pass(Duration.ofMinutes(11));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.registry.acquire(LockRequest.of("again")));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
	}

	@Test
	void aHeldLockIsDescribed() {
		LockRequest request = LockRequest.of("key").name("orders").leaseTime(Duration.ofMinutes(10));
		HeldLock lock = this.registry.acquire(request);
		HeldLock again = this.registry.acquire(request);
		this.clock.pass(Duration.ofMinutes(2));
		RegistrySnapshot snapshot = this.registry.snapshot();
		assertThat(snapshot.held()).singleElement().satisfies((held) -> {
			assertThat(held.key()).isEqualTo("key");
			assertThat(held.name()).isEqualTo("orders");
			assertThat(held.mode()).isEqualTo(LockMode.EXCLUSIVE);
			assertThat(held.fencingToken()).isEqualTo(lock.fencingToken());
			assertThat(held.heldFor()).isGreaterThanOrEqualTo(Duration.ofMinutes(2));
			assertThat(held.remaining()).isBetween(Duration.ofMinutes(7), Duration.ofMinutes(8));
			assertThat(held.reentries()).isOne();
		});
		assertThat(snapshot.heldByThisThread()).isOne();
		assertThat(snapshot.isIdle()).isFalse();
		again.close();
		lock.close();
		assertThat(this.registry.snapshot()).satisfies((empty) -> {
			assertThat(empty.held()).isEmpty();
			assertThat(empty.keys()).isEmpty();
			assertThat(empty.heldByThisThread()).isZero();
			assertThat(empty.isIdle()).isTrue();
		});
	}

	@Test
	void aWriterThatAlsoReadsIsAWriterUntilItsLastLevelIsClosed() {
		HeldLock writer = this.registry.acquire(LockRequest.of("key").mode(LockMode.WRITE));
		HeldLock reader = this.registry.acquire(LockRequest.of("key").mode(LockMode.READ));
		assertThat(this.registry.snapshot().held()).singleElement().satisfies((held) -> {
			assertThat(held.mode()).isEqualTo(LockMode.WRITE);
			assertThat(held.reentries()).isOne();
		});
		writer.close();
		assertThat(this.registry.snapshot().held()).singleElement().satisfies((held) -> {
			assertThat(held.mode()).isEqualTo(LockMode.WRITE);
			assertThat(held.reentries()).isZero();
		});
		reader.close();
	}

	@Test
	void aReentryAddsNoRenewal() {
		HeldLock outer = this.registry.acquire(LockRequest.of("again"));
		int timers = this.registry.snapshot().timers();
		HeldLock inner = this.registry.acquire(LockRequest.of("again"));
		assertThat(this.registry.snapshot().timers()).isLessThanOrEqualTo(timers);
		assertThat(this.registry.snapshot().watchedLeases()).isOne();
		inner.close();
		outer.close();
	}

	@Test
	void aNewExpiryEndsTheLockForAllLevelsButAReentryThatWasClosedBeforeIsReleased() {
		LockRequest request = LockRequest.of("levels");
		HeldLock outer = this.registry.acquire(request);
		HeldLock inner = this.registry.acquire(request);
		inner.close();
		HeldLock late = this.registry.acquire(request);
		assertThat(List.of(inner, outer)).extracting(HeldLock::isReleased).containsExactly(true, false);
		ControlledLock.expireAfter(late, Duration.ofMinutes(1));
		ControlledLock.expireAfter(outer, Duration.ofMinutes(9));
		this.clock.pass(Duration.ofMinutes(9));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> ControlledLock.expireAfter(outer, Duration.ofMinutes(9)));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(late::close);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> ControlledLock.expireAfter(outer, Duration.ofMinutes(9)));
		assertThat(List.of(inner, late, outer)).extracting(HeldLock::isReleased).containsExactly(true, false, false);
		AtomicBoolean notified = new AtomicBoolean();
		outer.onLost(() -> notified.set(true));
		assertThat(notified).as("a callback after the loss").isTrue();
	}

	@Test
	void aLockCountsAsReleasedWhenItsListenersAreTold() {
		HeldLock lock = this.registry.acquire(LockRequest.of("told"));
		AtomicBoolean released = new AtomicBoolean();
		this.whenReleased = () -> released.set(lock.isReleased());
		lock.close();
		assertThat(released).isTrue();
	}

	@Test
	void aClosedLockInItsMinimumHoldTimeIsNotHeldAndNotFreeEither() {
		HeldLock lock = this.registry.acquire(LockRequest.of("kept").minHold(Duration.ofMinutes(1)));
		lock.close();
		assertThat(lock.isHeld()).isFalse();
		assertThat(this.events.released).containsExactly("kept");
		assertThat(this.registry.snapshot().heldByThisThread()).isZero();
		assertThat(this.registry.tryAcquire(LockRequest.of("kept").waitTime(Duration.ZERO))).isEmpty();
	}

	@Test
	void anAbandonedLockIsReleasedAndFreeAtOnce() {
		HeldLock lock = this.registry.acquire(LockRequest.of("abandoned").minHold(Duration.ofMinutes(1)));
		ControlledLock.abandon(lock);
		assertThat(lock.isReleased()).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::close);
		assertThat(lock.isReleased()).isTrue();
		assertThat(this.registry.tryAcquire(LockRequest.of("abandoned").waitTime(Duration.ZERO)))
			.hasValueSatisfying(HeldLock::close);
	}

	private BackendLockRegistry registry(@Nullable String application) {
		// With so long a lease no renewal finds out that a grant has ended.
		RegistrySettings settings = TestSettings.of(Duration.ofSeconds(5), Duration.ofHours(1), null,
				new HandOffLimits(16, Duration.ofSeconds(30)), Duration.ofSeconds(10), false, Duration.ofSeconds(5));
		return CheckedEnvironment.registry(new LocalLockBackend(this.store, 17, TimeSource.SYSTEM),
				TestSettings.reporting(settings, application, Duration.ofMillis(100)), List.of(this.events),
				TimeSource.SYSTEM);
	}

	@ParameterizedTest
	@CsvSource({ "the-holder, false, the-holder", "'', false, #", "forgetful, true, forgetful (ended)" })
	void theExceptionNamesTheThreadOfThisJvmThatHoldsTheLock(String name, boolean ended, String shown)
			throws Exception {
		CompletableFuture<Boolean> end = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			HeldLock lock = this.orders.acquire(LONG);
			if (!ended) {
				end.join();
				lock.close();
			}
		}, name);
		thread.start();
		await().until(() -> this.orders.snapshot().held().size() == 1 && thread.isAlive() != ended);
		String caller = shown.equals("#") ? "#" + thread.getId() : shown;
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.acquire(SHORT))
			.withMessageContaining("thread '" + caller + "' of this JVM has held it since 20")
			.satisfies((ex) -> {
				LockHolder holder = ex.holder();
				assertThat(holder).isNotNull();
				assertThat(holder.instance()).isEqualTo(this.orders.snapshot().instance());
				assertThat(holder.caller()).isEqualTo(caller);
				assertThat(holder.since()).isBefore(Instant.now().plusSeconds(1));
			});
		assertThat(this.orders.snapshot().held().get(0).caller()).isEqualTo(caller);
		end.complete(true);
		thread.join();
	}

	@Test
	void theExceptionNamesTheOtherJvmThatHoldsTheLock() {
		LockInstance instance = this.orders.snapshot().instance();
		try (HeldLock lock = this.orders.acquire(LONG)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.shop.acquire(SHORT))
				.withMessageContainingAll("'key' (orders)", "PT0.5S")
				.withMessageContaining("order-service@" + instance.host() + ":" + instance.pid() + " (" + instance.id()
						+ ") has held it since 20")
				.satisfies((ex) -> {
					LockHolder holder = ex.holder();
					assertThat(holder).isNotNull();
					assertThat(holder.instance()).isEqualTo(instance);
					assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
					assertThat(holder.caller()).isNull();
				});
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> this.shop.acquireAsync(SHORT).join())
				.havingCause()
				.isInstanceOf(LockNotAcquiredException.class)
				.withMessageContaining(instance.id());
		}
	}

	@Test
	void aSlowWaitIsLoggedOnceWithItsHolder(CapturedOutput output) throws Exception {
		CompletableFuture<HeldLock> waiting;
		try (HeldLock lock = this.orders.acquire(LONG)) {
			waiting = this.shop.acquireAsync(LONG);
			await().until(() -> flushed(output).getAll().contains("Slow wait"));
			assertThat(this.shop.snapshot().waiting()).singleElement()
				.satisfies((caller) -> assertThat(caller.key()).isEqualTo("key"));
			// At least one more check.
			CompletableFuture<HeldLock> other = this.shop.acquireAsync(LONG.name("other"));
			await().until(() -> flushed(output).getAll().contains("(other)"));
			other.cancel(false);
		}
		waiting.get(30, TimeUnit.SECONDS).close();
		assertThat(flushed(output).getAll().split("Slow wait")).hasSize(3);
		assertThat(flushed(output)).containsPattern(
				"Slow wait: an asynchronous caller has waited PT\\S+ for lock 'key' \\(orders\\); order-service@\\S+ "
						+ "\\(\\S+\\) has held it since \\S+; 1 of this JVM wait for it");
		assertThat(this.shop.snapshot().waiting()).isEmpty();
	}

	@Test
	void aGrantEndsWhicheverCallerItWasHandedOnTo() throws Exception {
		HeldLock first = this.orders.acquire(LONG);
		CompletableFuture<HeldLock> second = this.orders.acquireAsync(LONG);
		await().until(() -> !this.orders.snapshot().waiting().isEmpty());
		long grantToken = this.orders.snapshot().held().get(0).grantToken();
		first.close();
		HeldLock handedOn = second.get(30, TimeUnit.SECONDS);
		CompletableFuture<HeldLock> next = this.shop.acquireAsync(LONG);
		await().until(() -> this.shop.inspection().inspect("key").waiting().size() == 1);
		assertThat(this.orders.snapshot().held()).singleElement().satisfies((held) -> {
			assertThat(held.grantToken()).isEqualTo(grantToken);
			assertThat(held.fencingToken()).isEqualTo(grantToken + 1);
		});
		assertThat(this.shop.inspection().end("key", grantToken)).isEqualTo(EndResult.ENDED);
		HeldLock entered = next.get(30, TimeUnit.SECONDS);
		assertThat(entered.fencingToken()).isGreaterThan(grantToken + 16);
		await().until(() -> !handedOn.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handedOn::close)
			.satisfies((ex) -> assertThat(ex.lossCause()).isEqualTo(LossCause.RELEASED_BY_OPERATOR));
		entered.close();
		await().untilAsserted(() -> assertThat(this.events.losses).singleElement().satisfies((event) -> {
			assertThat(event.lossCause()).isEqualTo(LossCause.RELEASED_BY_OPERATOR);
			assertThat(event.fencingToken()).isEqualTo(handedOn.fencingToken());
		}));
	}

	@Test
	void theStartSaysWhereTheLocksAreAndWhichInstanceThisIs(CapturedOutput output) {
		LockInstance instance = this.orders.snapshot().instance();
		assertThat(flushed(output)).contains("Locks in the memory of this JVM, instance " + instance.describe());
		assertThat(instance.describe())
			.matches("order-service@\\S+:" + ProcessHandle.current().pid() + " \\([0-9a-z]+\\)");
	}

}
