package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener.Resubscribed;
import io.github.distlock.LockRequest;
import io.github.distlock.metrics.LockMetrics;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TcpProxy;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The inbox of a JVM, and what waiting callers leave behind.
 */
class InboxTests extends TwoRegistries {

	@Test
	void anInboxThatTheServerDoesNotCountAnyMoreIsSubscribedAgain() {
		try (TcpProxy proxy = new TcpProxy(redis.server().port())) {
			BackendLockRegistry deaf = redis.nodeBehind(proxy.port(), RedisNodes.settings(Duration.ofSeconds(30)),
					List.of(this.events));
			deaf.acquire(request("warm")).close();
			proxy.forgetSubscriptions();
			await().until(() -> redis.inboxes() == 2);
			HeldLock held = this.one.acquire(request("busy"));
			// The inbox is checked from time to time while a caller waits.
			await().atMost(Duration.ofSeconds(60)).until(() -> {
				deaf.tryAcquire(LockRequest.of("busy").waitTime(Duration.ofMillis(300)));
				return redis.inboxes() == 3;
			});
			held.close();
			deaf.acquire(request("busy")).close();
		}
	}

	@Test
	void contendedKeysUseUpNoSubscriptions() {
		List<HeldLock> held = new ArrayList<>();
		List<CompletableFuture<HeldLock>> waiting = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			held.add(this.one.acquire(request("contended-" + i)));
			waiting.add(this.two.acquireAsync(request("contended-" + i)));
		}
		await().until(() -> redis.inboxes() == 2);
		held.forEach(HeldLock::close);
		waiting.forEach((lock) -> lock.join().close());
		assertThat(redis.inboxes()).isEqualTo(2);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void anInboxThatReceivesNothingIsSubscribedAgainAlthoughTheServerCountsIt(CapturedOutput output) throws Exception {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		RecordedEvents seen = new RecordedEvents();
		try (TcpProxy proxy = new TcpProxy(redis.server().port())) {
			BackendLockRegistry deaf = redis.nodeBehind(proxy.port(), RedisNodes.settings(Duration.ofSeconds(30)),
					List.of(seen, new LockMetrics(meters)));
			deaf.acquire(request("warm")).close();
			long subscriptions = redis.calls("subscribe");
			proxy.muteSubscriptions();
			try (HeldLock held = this.one.acquire(request("busy"))) {
				// The inbox is checked from time to time while a caller waits.
				await().atMost(Duration.ofSeconds(60)).until(() -> {
					deaf.tryAcquire(LockRequest.of("busy").waitTime(Duration.ofMillis(300)));
					return !seen.resubscribed.isEmpty();
				});
				await().until(() -> redis.calls("subscribe") > subscriptions);
				assertThat(held.isHeld()).isTrue();
			}
			CompletableFuture<HeldLock> next;
			try (HeldLock held = this.one.acquire(request("busy"))) {
				next = deaf.acquireAsync(request("busy"));
				await().until(() -> redis.queueLength("busy") == 1);
				assertThat(held.isHeld()).isTrue();
			}
			next.get(20, TimeUnit.SECONDS).close();
			Resubscribed event = seen.resubscribed.element();
			assertThat(event.backend()).isEqualTo("redis");
			assertThat(event.inbox()).startsWith("distlock:inbox:");
			assertThat(event.server()).isEqualTo("Redis at 127.0.0.1:" + proxy.port());
			assertThat(meters.get("distlock.resubscriptions").tag("backend", "redis").counter().count())
				.isEqualTo(seen.resubscribed.size());
			assertThat(flushed(output))
				.contains("The inbox " + event.inbox() + " received nothing from Redis at 127.0.0.1:" + proxy.port())
				.contains("and is subscribed again");
		}
	}

}
