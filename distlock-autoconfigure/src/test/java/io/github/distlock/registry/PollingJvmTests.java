package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A JVM whose Redis user has no rights for channels, beside JVMs that get messages.
 */
class PollingJvmTests extends TwoRegistries {

	private LockNodes polling;

	private BackendLockRegistry three;

	@BeforeEach
	void startPollingJvm() {
		rights("resetchannels");
		this.three = redis.node();
		this.polling = new LockNodes(PollingJvmTests::connections);
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
		CompletableFuture<HeldLock> last = this.three.acquireAsync(kind.writer());
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
		await().until(() -> redis.inboxes() == 4);
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
