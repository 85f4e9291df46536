package io.github.distlock.backend.redlock;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings;
import io.github.distlock.waiting.HandOffLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.github.distlock.backend.redlock.RedlockParticipant.TIMEOUT;
import static io.github.distlock.backend.redlock.RedlockParticipant.TOKENS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What a registry on Redlock makes of a grant that an operator has ended.
 */
class RedlockOperatorTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final AtomicInteger waiting = new AtomicInteger();

	private RedlockCluster cluster;

	private BackendLockRegistry registry;

	private RedlockParticipant other;

	private StoreInspection operator;

	@BeforeEach
	void start() {
		this.cluster = RedlockCluster.start(3, Duration.ZERO);
		this.registry = new BackendLockRegistry(
				new RedlockBackend(nodes(), new RedlockSettings("distlock:", TIMEOUT, LEASE.multipliedBy(2), TOKENS),
						TimeSource.SYSTEM),
				new RegistrySettings(LEASE, LEASE, null, new HandOffLimits(TOKENS - 1, LEASE), LEASE, false,
						Duration.ofSeconds(1)),
				List.of(new LockListener() {

					@Override
					public void onWaiting(Waiting event) {
						RedlockOperatorTests.this.waiting.incrementAndGet();
					}

				}), TimeSource.SYSTEM);
		this.registry.start();
		this.other = new RedlockParticipant(nodes(), LEASE.multipliedBy(2));
		this.operator = this.other.inspection();
	}

	@AfterEach
	void stop() {
		this.registry.shutdown();
		this.other.close();
		this.cluster.close();
	}

	/** Nodes count at once. */
	private List<DelegatingNode> nodes() {
		return this.cluster.nodes(TIMEOUT).stream().map((node) -> new DelegatingNode(node).trusted()).toList();
	}

	private static void assertForgotten(HeldLock lock) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.satisfies((lost) -> assertThat(lost.lossCause()).isEqualTo(LossCause.FORGOTTEN));
	}

	@Test
	void theHolderFindsThatTheStoreForgotTheLockWhileOneNodeIsAway() {
		HeldLock lock = this.registry.acquire(LockRequest.of("k"));
		this.cluster.stop(1);
		StoredHolder held = this.operator.inspect("k").holders().get(0);
		assertThat(held.grantToken()).isEqualTo(lock.fencingToken());
		assertThat(this.operator.end("k", held.grantToken())).isEqualTo(EndResult.ENDED);
		assertThat(this.other.tokenOf("k")).isGreaterThan(lock.fencingToken());
		assertForgotten(lock);
		try (HeldLock next = this.registry.acquire(LockRequest.of("k"))) {
			assertThat(next.fencingToken()).isGreaterThan(lock.fencingToken());
		}
	}

	@Test
	void theGrantTokenEndsALockThatWasHandedOnLocally() {
		HeldLock first = this.registry.acquire(LockRequest.of("k"));
		CompletableFuture<HeldLock> waiter = this.registry.acquireAsync(LockRequest.of("k")).toCompletableFuture();
		await().until(() -> this.waiting.get() == 1);
		first.close();
		HeldLock second = waiter.join();
		assertThat(second.fencingToken()).isEqualTo(first.fencingToken() + 1);
		assertThat(this.operator.inspect("k").holders()).extracting(StoredHolder::grantToken)
			.containsExactly(first.fencingToken());
		assertThat(this.operator.end("k", second.fencingToken())).isEqualTo(EndResult.CHANGED);
		assertThat(this.operator.end("k", first.fencingToken())).isEqualTo(EndResult.ENDED);
		assertThat(this.other.tokenOf("k")).isGreaterThan(first.fencingToken() + TOKENS - 1);
		assertForgotten(second);
	}

	@Test
	void theDocumentedRightsAreSufficientForLocksAndOperators() throws Exception {
		String line = Files.readAllLines(Path.of("../docs/stores-redlock.md"))
			.stream()
			.filter((text) -> text.contains("ACL SETUSER"))
			.findFirst()
			.orElseThrow()
			.strip()
			.replace("locks on >password", "default on nopass");
		for (int node = 0; node < 3; node++) {
			this.cluster.ask(node, line);
		}
		try (RedlockParticipant holder = new RedlockParticipant(nodes(), LEASE.multipliedBy(2))) {
			assertThat(holder.tokenOf("k")).isLessThan(this.other.tokenOf("k"));
			holder.take(holder.ticket("k"), LEASE);
			// One ticket, as a caller has: after an attempt at a node that did not vote
			// for the holder, it is queued at one that did.
			Ticket waiter = this.other.ticket("k");
			await().until(() -> {
				assertThat(Answers.of(this.other.store.attempt(waiter, LEASE, AttemptOptions.queue(true))))
					.isInstanceOf(AttemptResult.Queued.class);
				return !this.operator.inspect("k").waiting().isEmpty();
			});
			assertThat(this.operator.end("k", this.operator.inspect("k").holders().get(0).grantToken()))
				.isEqualTo(EndResult.ENDED);
		}
	}

}
