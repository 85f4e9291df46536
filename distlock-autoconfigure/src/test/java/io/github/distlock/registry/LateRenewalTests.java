package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.ForwardingBackend;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.StoppedClock;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Renewals that are answered when their holder has left and the lock is kept.
 */
class LateRenewalTests extends TwoRegistries {

	private RenewalsHeldBack backend;

	private BackendLockRegistry node;

	@BeforeEach
	void startNode() {
		StoppedClock clock = new StoppedClock();
		RegistrySettings settings = TestSettings.keeping(RedisNodes.settings(Duration.ofSeconds(30)),
				Duration.ofSeconds(1));
		this.backend = new RenewalsHeldBack(redis.backend(settings, clock));
		this.node = redis.node(this.backend, settings, List.of(this.events), clock);
		await().until(() -> {
			this.node.acquire(request("key")).close();
			return isKept();
		});
	}

	@AfterEach
	void endRenewal() {
		this.backend.answer.complete(null);
	}

	private boolean isKept() {
		return !this.node.snapshot().kept().isEmpty();
	}

	/** Close a lock whose renewal is on its way, and let the store forget it. */
	private void closeAndForget(HeldLock lock) throws InterruptedException {
		Ticket ticket = this.node.snapshot().keys().get(0).holder();
		this.backend.answer = new CompletableFuture<>();
		this.backend.signals.renewNow(List.of(ticket));
		this.backend.sent.await();
		lock.close();
		assertThat(isKept()).isTrue();
		redis.flush();
	}

	@Test
	void aLockThatTheStoreHasForgottenIsNotEnteredAfterALateRenewalHasSaidSo() throws Exception {
		closeAndForget(this.node.acquire(request("key")));
		this.backend.answer.complete(null);
		await().until(() -> !isKept());
		await().untilAsserted(() -> assertThat(this.events.lost).containsExactly("key"));
		this.events.attempted.clear();
		try (HeldLock lock = this.node.acquire(request("key"))) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(this.events.attempted).extracting((event) -> event.handOff()).containsExactly(HandOff.NONE);
		}
	}

	@Test
	void aCallerThatHasEnteredBeforeTheAnswerOfALateRenewalIsToldOfTheLoss() throws Exception {
		closeAndForget(this.node.acquire(request("key")));
		HeldLock lock = this.node.acquire(request("key"));
		this.backend.answer.complete(null);
		await().until(() -> !lock.isHeld());
		assertThat(this.events.lost).containsExactly("key");
	}

	/** Sends renewals, but only when a test lets it. */
	private static final class RenewalsHeldBack extends ForwardingBackend {

		private final CountDownLatch sent = new CountDownLatch(1);

		private volatile CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);

		private volatile LockSignals signals;

		RenewalsHeldBack(LockBackend real) {
			super(real);
		}

		@Override
		public LockStore open(StoreContext context) {
			this.signals = context.signals();
			return new ForwardingStore(super.open(context)) {

				@Override
				public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
					RenewalsHeldBack.this.sent.countDown();
					return RenewalsHeldBack.this.answer.thenCompose((held) -> super.renew(renewals));
				}

			};
		}

	}

}
