package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.contract.ForgetfulBackend;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Releases in the background: what they cost, what follows them, and how many there are.
 */
class BackgroundReleaseTests extends TwoRegistries {

	private static final RegistrySettings SETTINGS = TestSettings.releasing(RedisNodes.settings(Duration.ofSeconds(30)),
			ReleaseMode.BACKGROUND);

	private final List<BackendLockRegistry> others = new ArrayList<>();

	private final CompletableFuture<Boolean> opened = CompletableFuture.completedFuture(true);

	private CompletableFuture<Boolean> replies = this.opened;

	@AfterEach
	void stopOthers() {
		this.replies.complete(true);
		this.others.forEach(BackendLockRegistry::shutdown);
	}

	@Test
	void aReleaseMakesWaitingReadersOfItsJvmSendNothing() {
		BackendLockRegistry node = redis.node(SETTINGS, List.of());
		HeldLock writer = node.acquire(request("key"));
		List<CompletableFuture<HeldLock>> readers = Stream
			.generate(() -> node.acquireAsync(request("key").mode(LockMode.READ)))
			.limit(20)
			.toList();
		await().until(() -> node.inspection().inspect("key").waiting().size() == 20);
		redis.resetStats();
		writer.close();
		readers.forEach(CompletableFuture::join);
		// The release lets all readers in by messages.
		assertThat(redis.calls("evalsha")).isLessThan(5);
		readers.forEach((reader) -> reader.join().close());
	}

	@Test
	void aRefusalByAReleaseWhoseScriptIsUnknownIsNotBelieved() {
		BackendLockRegistry node = redis.node(SETTINGS, List.of());
		node.acquire(request("key")).close();
		int refused = 0;
		for (int i = 0; i < 50; i++) {
			HeldLock lock = node.acquire(request("key"));
			redis.server().process().ask("SCRIPT", "FLUSH");
			// Makes the script of attempts known again.
			HeldLock other = node.acquire(request("other-" + i));
			lock.close();
			refused += node.tryAcquire(LockRequest.of("key").waitTime(Duration.ZERO)).map((next) -> {
				next.close();
				return next;
			}).isPresent() ? 0 : 1;
			other.close();
		}
		assertThat(refused).isZero();
	}

	@Test
	void aCallerThatHasReleasedInTheBackgroundIsNotRefusedAfterALostConnection() {
		BackendLockRegistry node = redis.node(SETTINGS, List.of());
		for (int i = 0; i < 5; i++) {
			HeldLock lock = node.acquire(request("key"));
			lock.close();
			redis.killClients("normal");
			try {
				assertThat(node.tryAcquire(LockRequest.of("key").waitTime(Duration.ZERO))).isPresent()
					.hasValueSatisfying(HeldLock::close);
			}
			catch (LockBackendException ex) {
				// The store cannot be asked: not a refusal.
			}
			await().until(() -> node.snapshot().isIdle());
		}
	}

	/** Without an order, the executor sends them, and the callers send the others. */
	@ParameterizedTest
	@CsvSource({ "1000, true", "4, false" })
	void theReleaseAfterSoManyUnansweredOnesIsConfirmed(int unanswered, boolean keepsOrder) throws Exception {
		ForgetfulBackend backend = new ForgetfulBackend(local());
		if (!keepsOrder) {
			backend.keepNoOrder();
		}
		BackendLockRegistry node = start(backend, SETTINGS);
		List<HeldLock> locks = new ArrayList<>();
		for (int i = 0; i <= unanswered; i++) {
			locks.add(node.acquire(request("key-" + i)));
		}
		this.replies = backend.holdReleaseReplies();
		locks.subList(0, unanswered).forEach(HeldLock::close);
		Future<?> last = this.threads.submit(() -> locks.get(unanswered).close());
		await().until(() -> backend.calls(Verb.RELEASE) == unanswered + 1);
		assertThat(last.isDone()).isFalse();
		this.replies.complete(true);
		last.get(20, TimeUnit.SECONDS);
		await().until(() -> node.snapshot().isIdle());
	}

	@Test
	void aShutdownWithoutGraceEndsAlthoughALockIsHeldAndAReleaseStaysUnanswered() throws Exception {
		ForgetfulBackend backend = new ForgetfulBackend(local());
		BackendLockRegistry node = start(backend, SETTINGS);
		node.acquire(request("held"));
		HeldLock lock = node.acquire(request("key"));
		this.replies = backend.holdReleaseReplies();
		lock.close();
		this.threads.submit(node::shutdown).get(20, TimeUnit.SECONDS);
		assertThat(this.replies.isDone()).isFalse();
	}

	@Test
	void aLossThatTheStoreReportsAfterTheShutdownIsNotPassedToListenersOnTheThreadOfTheAnswer() throws Exception {
		ForgetfulBackend backend = new ForgetfulBackend(redis.backend(SETTINGS, TimeSource.SYSTEM));
		CompletableFuture<Thread> notified = new CompletableFuture<>();
		BackendLockRegistry node = start(backend, SETTINGS, new LockListener() {

			@Override
			public void onLost(Lost event) {
				notified.complete(Thread.currentThread());
			}

		});
		HeldLock lock = node.acquire(request("key"));
		redis.flush();
		this.replies = backend.holdReleaseReplies();
		lock.close();
		node.shutdown();
		assertThat(notified.isDone()).isFalse();
		this.replies.complete(true);
		assertThat(notified.get(20, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
		List<HeldLock> called = new ArrayList<>();
		lock.onLost(() -> called.add(lock));
		assertThat(called).as("callbacks of a lock that was closed in time").isEmpty();
	}

	private BackendLockRegistry start(LockBackend backend, RegistrySettings settings, LockListener... listeners) {
		BackendLockRegistry registry = CheckedEnvironment.registry(backend, settings, List.of(listeners),
				TimeSource.SYSTEM);
		registry.start();
		this.others.add(registry);
		return registry;
	}

	private static LockBackend local() {
		return new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 17, TimeSource.SYSTEM);
	}

}
