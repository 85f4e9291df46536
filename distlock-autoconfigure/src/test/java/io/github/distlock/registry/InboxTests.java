package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.RecordedEvents;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockListener.Resubscribed;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.metrics.LockMetrics;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The inbox of a JVM, what waiting callers leave behind, and what they get if the server
 * does not answer. A cold JVM is one before the server has confirmed the subscription of
 * its inbox. Then a JVM whose Redis user has no rights for channels, beside JVMs that get
 * messages.
 */
class InboxTests extends TwoRegistries {

	private TcpProxy proxy;

	@BeforeEach
	void startProxy() {
		this.proxy = new TcpProxy(redis.server().port());
	}

	@AfterEach
	void stopProxy() {
		this.proxy.close();
	}

	@Test
	void anInboxThatTheServerDoesNotCountAnyMoreIsSubscribedAgain() {
		BackendLockRegistry deaf = redis.nodeBehind(this.proxy.port(), RedisNodes.settings(Duration.ofSeconds(30)),
				List.of(this.events));
		deaf.acquire(request("warm")).close();
		this.proxy.forgetSubscriptions();
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
		BackendLockRegistry deaf = redis.nodeBehind(this.proxy.port(), RedisNodes.settings(Duration.ofSeconds(30)),
				List.of(seen, new LockMetrics(meters)));
		deaf.acquire(request("warm")).close();
		long subscriptions = redis.calls("subscribe");
		this.proxy.muteSubscriptions();
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
		assertThat(event.server()).isEqualTo("Redis at 127.0.0.1:" + this.proxy.port());
		assertThat(meters.get("distlock.resubscriptions").tag("backend", "redis").counter().count())
			.isEqualTo(seen.resubscribed.size());
		assertThat(flushed(output))
			.contains("The inbox " + event.inbox() + " received nothing from Redis at 127.0.0.1:" + this.proxy.port())
			.contains("and is subscribed again");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aColdJvmHasItsPlaceInTheQueueAndAsksAtIntervalsIfItsSubscriptionFails(boolean subscribes) throws Exception {
		this.proxy.holdSubscriptions(true);
		LockNodes nodes = new LockNodes(() -> RedisTestServer.connectionFactory(this.proxy.port()),
				Duration.ofSeconds(10));
		BackendLockRegistry cold = nodes.node(Duration.ofSeconds(30));
		HeldLock reader = this.two.acquire(fair(LockMode.READ));
		Future<?> writer = this.threads.submit(() -> cold.acquire(fair(LockMode.WRITE)).close());
		await().until(() -> cold.snapshot().waiting().size() == 1);
		if (subscribes) {
			assertThat(redis.queueLength("cold")).isEqualTo(1);
			assertThat(this.one.tryAcquire(fair(LockMode.READ).waitTime(Duration.ZERO))).isEmpty();
			reader.close();
			// The grant reached no inbox: the attempt after the subscription finds it.
			this.proxy.holdSubscriptions(false);
		}
		else {
			redis.resetStats();
			this.proxy.cut();
			await().until(() -> redis.calls("evalsha") >= 3);
			reader.close();
		}
		writer.get(20, TimeUnit.SECONDS);
		this.proxy.holdSubscriptions(false);
		nodes.close();
	}

	private static LockRequest fair(LockMode mode) {
		return request("cold").fair(true).mode(mode);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aSlowWaitSaysSinceWhenTheStoreHasNotAnswered(CapturedOutput output) throws Exception {
		BackendLockRegistry node = redis.nodeBehind(this.proxy.port(),
				TestSettings.reporting(RedisNodes.settings(Duration.ofSeconds(30)), "shop", Duration.ofMillis(100)),
				List.of());
		this.proxy.refuse(true);
		this.proxy.cut();
		Future<HeldLock> waiter = this.threads.submit(() -> node.acquire(request("unanswered")));
		await().until(() -> flushed(output).getAll().contains("Slow wait"));
		assertThat(flushed(output))
			.containsPattern("for lock 'unanswered' \\(unnamed\\); its holder is not known; the store has not "
					+ "answered since 20\\S+Z; 1 of this JVM wait for it");
		waiter.cancel(true);
		this.proxy.refuse(false);
		await().atMost(Duration.ofSeconds(20)).until(() -> node.snapshot().isIdle());
	}

	@Test
	void aWaitDuringAnOutageIsABackendFailureAndNotContention() {
		RegistrySettings settings = TestSettings.of(Duration.ofSeconds(5), Duration.ofSeconds(30), null,
				RedisNodes.HAND_OFF, Duration.ofSeconds(3), false, Duration.ofSeconds(2));
		BackendLockRegistry remote = redis.nodeBehind(this.proxy.port(), settings, List.of(this.events));
		LockRequest request = LockRequest.of("outage").waitTime(Duration.ofMillis(500));
		remote.acquire(request("connected")).close();
		this.proxy.swallow(true);
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> remote.acquireAsync(request).get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockBackendException.class);
		this.proxy.refuse(true);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> remote.acquire(request));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> remote.tryAcquire(request));
		assertThat(this.events.outcomes()).containsExactly("ACQUIRED", "BACKEND_ERROR", "BACKEND_ERROR",
				"BACKEND_ERROR");
	}

	private LockNodes polling;

	@BeforeEach
	void startPollingJvm() {
		rights("resetchannels");
		this.polling = new LockNodes(InboxTests::connections);
	}

	@AfterEach
	void stopPollingJvm() {
		this.polling.close();
	}

	private static void rights(String channels) {
		RedisProcess server = redis.server().process();
		server.ask("ACL", "SETUSER", "polling", "on", ">password", "~*", "+@all", channels);
	}

	private static LettuceConnectionFactory connections() {
		return RedisTestServer.connectionFactory(redis.server().port(), "polling");
	}

	/** Start it. Before the first refusal it does not know that it gets no messages. */
	private BackendLockRegistry pollingJvm() {
		RedisProcess server = redis.server().process();
		server.ask("ACL", "LOG", "RESET");
		BackendLockRegistry jvm = this.polling.node(Duration.ofSeconds(30));
		await().until(() -> String.valueOf(server.ask("ACL", "LOG")).matches(".*count, [2-9].*"));
		return jvm;
	}

	private static LockRequest patient() {
		return LockRequest.of("k").waitTime(LockRequest.FOREVER);
	}

	@ParameterizedTest
	@EnumSource
	void aJvmThatGetsNoMessagesEntersInItsTurn(Kind kind) {
		HeldLock first = this.one.acquire(kind.writer());
		CompletableFuture<HeldLock> second = this.two.acquireAsync(kind.writer());
		await().until(() -> redis.queueLength("k") == 1);
		CompletableFuture<HeldLock> polls = pollingJvm().acquireAsync(kind.reader());
		await().until(() -> redis.queueLength("k") == 2);
		CompletableFuture<HeldLock> last = redis.node().acquireAsync(kind.writer());
		await().until(() -> redis.queueLength("k") == 3);
		first.close();
		second.join().close();
		HeldLock entered = polls.join();
		assertThat(last).isNotDone();
		assertThat(entered.remaining()).as("the lease is not what others wait for a dead JVM")
			.isGreaterThan(Duration.ofSeconds(20));
		entered.close();
		last.join().close();
	}

	@Test
	void aJvmThatReleasesAndAcquiresAgainLetsAJvmWithoutMessagesIn() {
		HeldLock held = this.one.acquire(request("k"));
		CompletableFuture<HeldLock> polls = pollingJvm().acquireAsync(patient());
		await().until(() -> redis.queueLength("k") == 1);
		CompletableFuture<HeldLock> next = this.one.acquireAsync(patient().fair(true));
		await().until(() -> redis.queueLength("k") == 2);
		held.close();
		polls.join().close();
		next.join().close();
	}

	@Test
	void onlyOneCallerOfAJvmThatGetsNoMessagesHasAPlace() {
		HeldLock first = this.one.acquire(request("k"));
		BackendLockRegistry jvm = pollingJvm();
		CompletableFuture<HeldLock> fair = jvm.acquireAsync(patient().fair(true));
		CompletableFuture<HeldLock> shared = jvm.acquireAsync(patient());
		await().until(() -> redis.queueLength("k") == 1);
		long attempts = redis.calls("evalsha");
		await().until(() -> redis.calls("evalsha") > attempts + 50);
		assertThat(redis.queueLength("k")).isEqualTo(1);
		first.close();
		CompletableFuture.anyOf(fair, shared).join();
		fair.thenAccept(HeldLock::close);
		shared.thenAccept(HeldLock::close);
		CompletableFuture.allOf(fair, shared).join();
	}

	@Test
	void aTicketKeepsItsPlaceWhenItsJvmGetsMessagesAgain() {
		HeldLock first = this.one.acquire(request("k"));
		BackendLockRegistry jvm = pollingJvm();
		CompletableFuture<HeldLock> polls = jvm.acquireAsync(patient());
		await().until(() -> redis.queueLength("k") == 1);
		CompletableFuture<HeldLock> last = this.two.acquireAsync(patient());
		await().until(() -> redis.queueLength("k") == 2);
		String place = redis.queue("k").get(0);
		rights("allchannels");
		await().until(() -> redis.inboxes() == 3);
		assertThat(redis.queue("k")).first().isEqualTo(place);
		first.close();
		polls.join().close();
		last.join().close();
	}

	/**
	 * What the callers ask for: the one that polls as a reader, the others as writers.
	 */
	enum Kind {

		EXCLUSIVE, FAIR, PERMITS, READERS;

		LockRequest writer() {
			return (this == READERS) ? patient().mode(LockMode.WRITE) : reader();
		}

		LockRequest reader() {
			return switch (this) {
				case EXCLUSIVE -> patient();
				case FAIR -> patient().fair(true);
				case PERMITS -> patient().permits(1);
				case READERS -> patient().mode(LockMode.READ);
			};
		}

	}

}
