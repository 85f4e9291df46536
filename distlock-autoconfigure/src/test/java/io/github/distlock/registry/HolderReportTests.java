package io.github.distlock.registry;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockHolder;
import io.github.distlock.LockInstance;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.engine.HandOffLimits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What holds a lock, in exceptions and log lines, and what happens when an operator ends
 * a grant: two registries of two applications over one store.
 */
@ExtendWith(OutputCaptureExtension.class)
class HolderReportTests {

	/** Long enough for an answer that names the holder, on a busy machine. */
	private static final LockRequest SHORT = LockRequest.of("key").name("orders").waitTime(Duration.ofMillis(500));

	private static final LockRequest LONG = LockRequest.of("key").name("orders").waitTime(Duration.ofSeconds(30));

	private final LocalStore store = new LocalStore(TimeSource.SYSTEM);

	private final BlockingQueue<LockListener.Lost> lost = new LinkedBlockingQueue<>();

	private final BackendLockRegistry orders = registry("order-service");

	private final BackendLockRegistry shop = registry("shop");

	private BackendLockRegistry registry(@Nullable String application) {
		// With so long a lease no renewal finds out that a grant has ended.
		RegistrySettings settings = TestSettings.of(Duration.ofSeconds(5), Duration.ofHours(1), null,
				new HandOffLimits(16, Duration.ofSeconds(30)), Duration.ofSeconds(10), false, Duration.ofSeconds(5));
		LockListener listener = new LockListener() {

			@Override
			public void onLost(Lost event) {
				HolderReportTests.this.lost.add(event);
			}

		};
		return new BackendLockRegistry(new LocalLockBackend(this.store, 17, TimeSource.SYSTEM),
				TestSettings.reporting(settings, application, Duration.ofMillis(100)), List.of(listener),
				TimeSource.SYSTEM);
	}

	@BeforeEach
	void start() {
		this.orders.start();
		this.shop.start();
	}

	@AfterEach
	void stop() {
		this.orders.shutdown();
		this.shop.shutdown();
	}

	private CompletableFuture<HeldLock> inOtherThread(BackendLockRegistry registry, LockRequest request,
			CountDownLatch release) {
		CompletableFuture<HeldLock> acquired = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try (HeldLock lock = registry.acquire(request)) {
				acquired.complete(lock);
				release.await();
			}
			catch (Throwable ex) {
				acquired.completeExceptionally(ex);
			}
		}, "the-holder");
		thread.setDaemon(true);
		thread.start();
		return acquired;
	}

	@Test
	void theExceptionNamesTheThreadOfThisJvmThatHoldsTheLock() {
		CountDownLatch release = new CountDownLatch(1);
		inOtherThread(this.orders, LONG, release).join();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.acquire(SHORT))
			.withMessageContaining("thread 'the-holder' of this JVM has held it since 20")
			.satisfies((ex) -> {
				LockHolder holder = ex.holder();
				assertThat(holder).isNotNull();
				assertThat(holder.instance()).isEqualTo(this.orders.snapshot().instance());
				assertThat(holder.caller()).isEqualTo("the-holder");
				assertThat(holder.since()).isBefore(Instant.now().plusSeconds(1));
			});
		release.countDown();
	}

	@Test
	void aThreadWithoutANameIsShownByItsId() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		Thread holder = new Thread(() -> {
			try (HeldLock lock = this.orders.acquire(LONG)) {
				release.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}, "");
		holder.start();
		await().until(() -> this.orders.snapshot().held().size() == 1);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.acquire(SHORT))
			.withMessageContaining("thread '#" + holder.getId() + "' of this JVM has held it since 20");
		assertThat(this.orders.snapshot().held().get(0).caller()).isEqualTo("#" + holder.getId());
		release.countDown();
		holder.join();
	}

	@Test
	void theExceptionNamesTheOtherJvmThatHoldsTheLock() {
		LockInstance instance = this.orders.snapshot().instance();
		try (HeldLock lock = this.orders.acquire(LONG)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.shop.acquire(SHORT))
				.withMessageContaining("order-service@" + instance.host() + ":" + instance.pid() + " (" + instance.id()
						+ ") has held it since 20")
				.satisfies((ex) -> {
					LockHolder holder = ex.holder();
					assertThat(holder).isNotNull();
					assertThat(holder.instance()).isEqualTo(instance);
					assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
					assertThat(holder.caller()).isNull();
				});
		}
	}

	@Test
	void anAsynchronousRequestAlsoNamesTheHolder() {
		try (HeldLock lock = this.orders.acquire(LONG)) {
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> this.shop.acquireAsync(SHORT).join())
				.havingCause()
				.isInstanceOf(LockNotAcquiredException.class)
				.withMessageContaining(this.orders.snapshot().instance().id());
		}
	}

	@Test
	void aSlowWaitIsLoggedOnceWithItsHolder(CapturedOutput output) throws Exception {
		CompletableFuture<HeldLock> waiting;
		try (HeldLock lock = this.orders.acquire(LONG)) {
			waiting = this.shop.acquireAsync(LONG);
			await().until(() -> output.getAll().contains("Slow wait"));
			assertThat(this.shop.snapshot().waiting()).singleElement()
				.satisfies((caller) -> assertThat(caller.key()).isEqualTo("key"));
			// At least one more check.
			CompletableFuture<HeldLock> other = this.shop.acquireAsync(LONG.name("other"));
			await().until(() -> output.getAll().contains("(other)"));
			other.cancel(false);
		}
		waiting.get(30, TimeUnit.SECONDS).close();
		assertThat(output.getAll().split("Slow wait")).hasSize(3);
		assertThat(output).containsPattern(
				"Slow wait: an asynchronous caller has waited PT\\S+ for lock 'key' \\(orders\\); order-service@\\S+ "
						+ "\\(\\S+\\) has held it since \\S+; 1 of this JVM wait for it");
		assertThat(this.shop.snapshot().waiting()).isEmpty();
	}

	@Test
	void threadsThatWaitForEachOtherAreReportedAsSlowWithTheirHolders(CapturedOutput output) throws Exception {
		CountDownLatch both = new CountDownLatch(2);
		Thread[] threads = { crossing("a", "b", both), crossing("b", "a", both) };
		await().until(() -> output.getAll().split("Slow wait").length == 3);
		for (Thread thread : threads) {
			thread.interrupt();
			thread.join();
		}
		assertThat(output).containsPattern("thread 'a-then-b' has waited .* thread 'b-then-a' of this JVM")
			.containsPattern("thread 'b-then-a' has waited .* thread 'a-then-b' of this JVM");
	}

	private Thread crossing(String first, String second, CountDownLatch both) {
		Thread thread = new Thread(() -> {
			try (HeldLock outer = this.orders.acquire(LockRequest.of(first))) {
				both.countDown();
				both.await();
				this.orders.acquire(LockRequest.of(second).waitTime(Duration.ofMinutes(5))).close();
			}
			catch (InterruptedException | LockNotAcquiredException ex) {
				// The end of the test.
			}
		}, first + "-then-" + second);
		thread.start();
		return thread;
	}

	@Test
	void aGrantThatAnOperatorEndsIsLostAtOnceAndTheNextCallerEnters() throws Exception {
		HeldLock held = this.orders.acquire(LONG);
		CompletableFuture<HeldLock> next = this.shop.acquireAsync(LONG);
		await().until(() -> this.shop.inspection().inspect("key").waiting().size() == 1);
		HeldLockSnapshot snapshot = this.orders.snapshot().held().get(0);
		assertThat(this.shop.inspection().end("key", snapshot.grantToken() + 1)).isEqualTo(EndResult.CHANGED);
		assertThat(held.isHeld()).isTrue();
		assertThat(this.shop.inspection().end("key", snapshot.grantToken())).isEqualTo(EndResult.ENDED);
		HeldLock entered = next.get(30, TimeUnit.SECONDS);
		assertThat(entered.fencingToken()).isGreaterThan(snapshot.grantToken() + 16);
		assertThat(this.lost.poll(30, TimeUnit.SECONDS)).satisfies((event) -> {
			assertThat(event.lossCause()).isEqualTo(LossCause.RELEASED_BY_OPERATOR);
			assertThat(event.fencingToken()).isEqualTo(held.fencingToken());
		});
		assertThat(held.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((ex) -> assertThat(ex.lossCause()).isEqualTo(LossCause.RELEASED_BY_OPERATOR));
		entered.close();
		assertThat(this.lost).isEmpty();
	}

	@Test
	void aGrantEndsWhicheverCallerItWasHandedOnTo() throws Exception {
		HeldLock first = this.orders.acquire(LONG);
		CompletableFuture<HeldLock> second = this.orders.acquireAsync(LONG);
		await().until(() -> !this.orders.snapshot().waiting().isEmpty());
		long grantToken = this.orders.snapshot().held().get(0).grantToken();
		first.close();
		HeldLock handedOn = second.get(30, TimeUnit.SECONDS);
		assertThat(this.orders.snapshot().held()).singleElement().satisfies((held) -> {
			assertThat(held.grantToken()).isEqualTo(grantToken);
			assertThat(held.fencingToken()).isEqualTo(grantToken + 1);
		});
		assertThat(this.shop.inspection().end("key", grantToken)).isEqualTo(EndResult.ENDED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handedOn::close)
			.satisfies((ex) -> assertThat(ex.lossCause()).isEqualTo(LossCause.RELEASED_BY_OPERATOR));
	}

	@Test
	void theStartSaysWhereTheLocksAreAndWhichInstanceThisIs(CapturedOutput output) {
		LockInstance instance = this.orders.snapshot().instance();
		assertThat(output).contains("Locks in the memory of this JVM, instance " + instance.describe());
		assertThat(instance.describe())
			.matches("order-service@\\S+:" + ProcessHandle.current().pid() + " \\([0-9a-z]+\\)");
	}

}
