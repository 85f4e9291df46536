package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The notification of callers when the session of their JVM ends.
 */
@Execution(ExecutionMode.CONCURRENT)
class LostSessionTests {

	private static final Duration SESSION = Duration.ofSeconds(20);

	@AutoClose
	private final BareNodes nodes = new BareNodes(SESSION);

	private final RegistryNode one = this.nodes.registry();

	private final RegistryNode two = this.nodes.registry();

	private CompletableFuture<HeldLock> waiter(RegistryNode node, String key) {
		CompletableFuture<HeldLock> waiter = node.registry
			.acquireAsync(LockRequest.of(key).waitTime(LockRequest.FOREVER));
		await().until(() -> node.waiting.get() > 0);
		return waiter;
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT60S" })
	void aHolderWhoseSessionHasEndedIsNotifiedAtOnceAndTheNextEnters(Duration lease) throws Exception {
		LockRequest request = LockRequest.of("lost");
		HeldLock held = this.one.registry.acquire(lease.isZero() ? request : request.leaseTime(lease));
		AtomicInteger notifications = new AtomicInteger();
		held.onLost(notifications::incrementAndGet);
		CompletableFuture<HeldLock> next = waiter(this.two, "lost");
		this.nodes.server.endSession(this.one.client);
		try (HeldLock entered = next.get(30, TimeUnit.SECONDS)) {
			assertThat(entered.fencingToken()).isGreaterThan(held.fencingToken());
			// As soon as the client detects it. Callback and listener run side by side.
			await().until(() -> notifications.get() == 1 && !this.one.lost.isEmpty());
			assertThat(held.isHeld()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close).withMessageContaining("lost");
			assertThat(entered.isHeld()).isTrue();
		}
		try (HeldLock again = this.one.registry.acquire(request)) {
			assertThat(again.fencingToken()).isGreaterThan(held.fencingToken());
		}
		assertThat(notifications).hasValue(1);
		assertThat(this.one.lost).containsExactly("lost");
	}

	@Test
	void anAttemptAfterTheEndOfASessionFailsWithAMessageAboutTheAttempt() {
		HeldLock held = this.one.registry.acquire(LockRequest.of("own"));
		this.nodes.server.stop();
		await().atMost(Duration.ofMinutes(1)).until(() -> this.one.lost.contains("own"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.one.registry.obtain("own").tryLock())
			.withMessageStartingWith("There is no connection to ZooKeeper at ")
			.withMessageEndingWith("; lock 'own' was not attempted while an earlier command for it is unanswered")
			.withMessageContaining(this.nodes.server.connectString())
			.withMessageContaining("distlock.zookeeper.connect-string");
		this.nodes.server.restart();
	}

	@Test
	void theRemainingTimeIsThatOfTheSessionAndEndsWithIt() {
		HeldLock held = this.one.registry.acquire(LockRequest.of("remaining"));
		assertThat(held.remaining()).isPositive().isLessThanOrEqualTo(SESSION);
		// The leader's replies extend it.
		await().during(SESSION.plusSeconds(1))
			.atMost(Duration.ofMinutes(1))
			.until(() -> !held.remaining().isZero() && held.remaining().compareTo(SESSION) <= 0);
		this.nodes.server.stop();
		Duration left = held.remaining();
		await().until(() -> held.remaining().compareTo(left) < 0);
		await().atMost(Duration.ofMinutes(1)).until(() -> held.remaining().isZero());
		assertThat(held.isHeld()).isFalse();
	}

	@Test
	void aRestartOfTheServerWithinTheSessionTimeoutLosesNeitherHolderNorWaiter() throws Exception {
		HeldLock held = this.one.registry.acquire(LockRequest.of("restart"));
		CompletableFuture<HeldLock> next = waiter(this.two, "restart");
		this.nodes.server.restart();
		for (RegistryNode node : List.of(this.one, this.two)) {
			await().until(() -> node.client.getZookeeperClient().isConnected());
		}
		await().during(Duration.ofSeconds(2)).atMost(Duration.ofSeconds(30)).until(held::isHeld);
		assertThat(next).isNotDone();
		held.close();
		try (HeldLock entered = next.get(30, TimeUnit.SECONDS)) {
			assertThat(entered.fencingToken()).isGreaterThan(held.fencingToken());
		}
		assertThat(this.one.lost).isEmpty();
	}

}
