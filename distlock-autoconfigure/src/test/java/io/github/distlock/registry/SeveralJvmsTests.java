package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.ChildJvm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Real JVMs that are killed or paused.
 */
class SeveralJvmsTests extends TwoRegistries {

	private static final Duration LEASE = Duration.ofSeconds(1);

	private static ChildJvm child(String key) {
		return ChildJvm.start(redis.server().port(), key, LEASE);
	}

	private static LockRequest patient(String key) {
		return LockRequest.of(key).waitTime(Duration.ofSeconds(60));
	}

	@Test
	void theNextLiveWaiterAcquiresAtOnceWhenTheHeadOfTheQueueWasKilled() throws Exception {
		try (ChildJvm child = child("killed-waiter")) {
			this.two.acquire(patient("another")).close();
			HeldLock first = this.two.acquire(patient("killed-waiter"));
			child.send("acquire").expect("waiting");
			// Queued, and with an inbox that was counted at a publish.
			await().until(() -> redis.hasCountedTicket("killed-waiter"));
			Future<HeldLock> behind = this.threads.submit(() -> this.one.acquire(patient("killed-waiter")));
			await().until(() -> redis.queueLength("killed-waiter") == 2);
			child.kill();
			await().until(() -> redis.inboxes() == 2);
			redis.resetStats();
			first.close();
			HeldLock second = behind.get(30, TimeUnit.SECONDS);
			// One script, which the server knows since the release above. It found no
			// subscriber of the first inbox and granted the next ticket.
			assertThat(redis.calls("eval") + redis.calls("evalsha")).isEqualTo(1);
			assertThat(redis.calls("publish")).isEqualTo(2);
			second.close();
		}
	}

	@Test
	void aHolderPausedBeyondItsLeaseGetsALossAndItsReleaseChangesNothing() {
		try (ChildJvm child = child("paused-holder")) {
			long token = Long.parseLong(child.send("acquire").expect("acquired"));
			child.pause();
			try (HeldLock next = this.one.acquire(patient("paused-holder"))) {
				assertThat(next.fencingToken()).isGreaterThan(token);
				child.resume();
				assertThat(child.send("check").expect("held")).isEqualTo("false");
				child.send("close").expect("lost");
				assertThat(next.isHeld()).isTrue();
				assertThat(this.two.tryAcquire(LockRequest.of("paused-holder").waitTime(Duration.ZERO))).isEmpty();
			}
			this.two.acquire(patient("paused-holder")).close();
		}
	}

	@Test
	void aWaiterPausedAtTheHeadIsSkippedAfterItsGraceAndDoesNotAcquireLate() {
		try (ChildJvm child = child("paused-waiter")) {
			HeldLock first = this.two.acquire(patient("paused-waiter"));
			child.send("acquire").expect("waiting");
			await().until(() -> redis.queueLength("paused-waiter") == 1);
			child.pause();
			first.close();
			HeldLock next = this.one.acquire(patient("paused-waiter"));
			child.resume();
			// Its grant message waited in the inbox until the grant had expired. It
			// attempts again, and waits.
			await().until(() -> redis.queueLength("paused-waiter") == 1);
			assertThat(next.isHeld()).isTrue();
			long token = next.fencingToken();
			next.close();
			assertThat(Long.parseLong(child.expect("acquired"))).isGreaterThan(token);
			child.send("close").expect("released");
		}
	}

}
