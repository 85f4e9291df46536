package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.registry.RegistrySnapshot.LockState;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * The cause and the advice in the loss of a lock, on a real server.
 */
@ExtendWith(OutputCaptureExtension.class)
class LossCauseTests extends TwoRegistries {

	private BackendLockRegistry node(Duration lease) {
		return redis.node(RedisNodes.settings(lease), List.of(this.events));
	}

	private LockLostException checkLost(HeldLock lock, LossCause cause) {
		await().atMost(Duration.ofSeconds(20)).until(() -> !lock.isHeld());
		assertThat(lock.lossCause()).isEqualTo(cause);
		return checkClose(lock, cause);
	}

	private LockLostException checkClose(HeldLock lock, LossCause cause) {
		LockLostException thrown = catchThrowableOfType(LockLostException.class, lock::close);
		assertThat(thrown.lossCause()).isEqualTo(cause);
		assertThat(lock.isReleased()).isFalse();
		assertThat(thrown).hasMessageContaining(cause.remedy());
		assertThat(lock.lossCause()).isEqualTo(cause);
		await().until(() -> !this.events.losses.isEmpty());
		assertThat(this.events.losses).extracting(LockListener.Lost::lossCause).containsExactly(cause);
		if (cause != LossCause.LEASE_EXPIRED) {
			assertThat(thrown.getMessage()).doesNotContain("leaseTime");
		}
		return thrown;
	}

	@Test
	void aLockThatTheStoreNoLongerKnowsAtTheRelease() {
		HeldLock lock = node(Duration.ofSeconds(30)).acquire(LockRequest.of("l"));
		redis.flush();
		checkClose(lock, LossCause.FORGOTTEN);
	}

	@Test
	void aLeaseThatHasPassedWhenTheReleaseArrives() throws Exception {
		try (TcpProxy proxy = new TcpProxy(redis.server().port());
				LockNodes nodes = new LockNodes(() -> RedisTestServer.connectionFactory(proxy.port()),
						Duration.ofSeconds(60))) {
			HeldLock lock = nodes.node(Duration.ofSeconds(30), this.events)
				.acquire(LockRequest.of("l").leaseTime(Duration.ofSeconds(8)));
			proxy.holdBack(true);
			CompletableFuture<LockLostException> closed = CompletableFuture
				.supplyAsync(() -> checkClose(lock, LossCause.LEASE_EXPIRED));
			await().atMost(Duration.ofSeconds(60)).until(() -> !redis.isLocked("l"));
			proxy.holdBack(false);
			assertThat(closed.get(60, TimeUnit.SECONDS))
				.hasMessageContaining("was lost before its release arrived in the store: its lease has expired");
			assertThat(this.events.losses).extracting(LockListener.Lost::reason)
				.containsExactly("its lease has expired");
		}
	}

	@Test
	void aLockThatAnotherHolderHasAtTheRenewal() {
		HeldLock lock = node(Duration.ofSeconds(15)).acquire(LockRequest.of("l"));
		redis.flush();
		try (HeldLock other = this.two.acquire(LockRequest.of("l"))) {
			assertThat(other.isHeld()).isTrue();
			checkLost(lock, LossCause.TAKEN_OVER);
		}
	}

	@Test
	void aStoreThatDoesNotAnswerTheRenewalsAndNoRetryMessageAfterTheLoss(CapturedOutput output) throws Exception {
		try (TcpProxy proxy = new TcpProxy(redis.server().port())) {
			HeldLock lock = redis
				.nodeBehind(proxy.port(), RedisNodes.settings(Duration.ofSeconds(6)), List.of(this.events))
				.acquire(LockRequest.of("l"));
			proxy.holdBack(true);
			checkLost(lock, LossCause.STORE_SILENT);
			await().atMost(Duration.ofSeconds(20)).until(() -> this.events.notRenewed.get() > 0);
			assertThat(flushed(output).getAll().split("Lost lock 'l'", 2)[1])
				.doesNotContain("Leases could not be renewed");
			proxy.holdBack(false);
		}
	}

	@Test
	void aLockWhoseRenewalsFailIsAtRiskBeforeItIsLost() {
		try (TcpProxy proxy = new TcpProxy(redis.server().port())) {
			BackendLockRegistry registry = redis.nodeBehind(proxy.port(), RedisNodes.settings(Duration.ofSeconds(20)),
					List.of(this.events));
			HeldLock lock = registry.acquire(LockRequest.of("l"));
			for (LockState state : List.of(LockState.HELD, LockState.AT_RISK, LockState.HELD)) {
				proxy.holdBack(state == LockState.AT_RISK);
				await().atMost(Duration.ofSeconds(40))
					.until(() -> registry.snapshot().held().get(0).state() == state && lock.isHeld());
			}
			lock.close();
			assertThat(this.events.losses).isEmpty();
		}
	}

	@Test
	void theMaximumHoldTime() {
		RegistrySettings settings = RedisNodes.settings(Duration.ofSeconds(6));
		HeldLock lock = redis
			.node(TestSettings.of(settings.waitTime(), settings.leaseTime(), Duration.ofMillis(300), settings.handOff(),
					settings.backendTimeout(), false, settings.shutdownGrace()), List.of(this.events))
			.acquire(LockRequest.of("l"));
		checkLost(lock, LossCause.MAX_HOLD_TIME);
	}

	@Test
	void aThreadThatHasDied() throws Exception {
		BackendLockRegistry registry = node(Duration.ofSeconds(6));
		Thread dead = new Thread(() -> registry.obtain("l").lock());
		dead.start();
		dead.join();
		await().atMost(Duration.ofSeconds(20)).until(() -> !this.events.losses.isEmpty());
		assertThat(this.events.losses).extracting(LockListener.Lost::lossCause).containsExactly(LossCause.OWNER_DIED);
	}

	@Test
	void aMachineThatWasSuspended() {
		ManualClock clock = new ManualClock();
		HeldLock lock = redis.node(RedisNodes.settings(Duration.ofSeconds(30)), List.of(this.events), clock)
			.acquire(LockRequest.of("l"));
		clock.suspend(Duration.ofHours(1));
		checkLost(lock, LossCause.PROCESS_SUSPENDED);
	}

	private final CountDownLatch interrupting = new CountDownLatch(1);

	private final CountDownLatch left = new CountDownLatch(1);

	@Test
	void noInterruptForALostLockArrivesAfterItsRelease() throws Exception {
		BackendLockRegistry registry = redis.node(TestSettings.of(Duration.ofSeconds(20), Duration.ofSeconds(30), null,
				TestSettings.NO_HAND_OFF, Duration.ofSeconds(20), true, Duration.ofMillis(100)), List.of());
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread holder = new SlowlyInterrupted(() -> {
			HeldLock lock = registry.acquire(LockRequest.of("key").leaseTime(Duration.ofSeconds(1)));
			try {
				// Not await(): the interrupt must arrive during close().
				while (this.interrupting.getCount() > 0) {
					Thread.onSpinWait();
				}
				lock.close();
			}
			catch (LockLostException ex) {
				// Expected.
			}
			interrupted.complete(Thread.interrupted());
			this.left.countDown();
		});
		holder.start();
		assertThat(interrupted.get(20, TimeUnit.SECONDS)).as("interrupted before close() returned").isTrue();
		holder.join(TimeUnit.SECONDS.toMillis(20));
	}

	/** A thread that is interrupted after it has released the lock, or after a while. */
	private final class SlowlyInterrupted extends Thread {

		SlowlyInterrupted(Runnable task) {
			super(task);
		}

		@Override
		public void interrupt() {
			LossCauseTests.this.interrupting.countDown();
			try {
				LossCauseTests.this.left.await(500, TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			super.interrupt();
		}

	}

}
