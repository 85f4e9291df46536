package io.github.distlock.backend.redis;

import java.time.Duration;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.AttemptResult.Granted;
import io.github.distlock.backend.AttemptResult.Queued;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.NoSignals;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.RespConnection;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A JVM that hears nothing releases a lock for its own next caller while another JVM
 * waits.
 */
class UnheardSuccessorTests {

	private static final Duration LEASE = Duration.ofSeconds(5);

	@Test
	void aSuccessorWhoseJvmHearsNothingIsNotQueuedAndTheLockGoesOn() {
		try (RedisTestServer server = RedisTestServer.start();
				RespConnection operator = new RespConnection(server.port())) {
			operator.ask("ACL", "SETUSER", "deaf", "on", ">secret", "~*", "&*", "+@all", "-subscribe");
			RedisStandaloneConfiguration deaf = new RedisStandaloneConfiguration("127.0.0.1", server.port());
			deaf.setUsername("deaf");
			deaf.setPassword("secret");
			LettuceConnectionFactory deafConnections = new LettuceConnectionFactory(deaf);
			deafConnections.afterPropertiesSet();
			deafConnections.start();
			LettuceConnectionFactory connections = server.connectionFactory();
			try (LockStore one = open(deafConnections, "one"); LockStore two = open(connections, "two")) {
				assertHandedOn(one, two);
			}
			finally {
				deafConnections.destroy();
				connections.destroy();
			}
		}
	}

	private static void assertHandedOn(LockStore one, LockStore two) {
		Ticket holder = ticket("one", 1);
		long first = ((Granted) Answers.of(one.attempt(holder, LEASE, AttemptOptions.queue(true)))).grant()
			.firstToken();
		Ticket waiter = ticket("two", 1);
		await().until(() -> Answers.of(two.attempt(waiter, LEASE, AttemptOptions.queue(true))) instanceof Queued queued
				&& queued.queuedNow());
		AttemptResult next = Answers.of(one.release(holder, first, new Successor(ticket("one", 2), LEASE))).next();
		AttemptResult granted = Answers.of(two.attempt(waiter, LEASE, AttemptOptions.queue(true)));
		assertThat(granted).isInstanceOf(Granted.class);
		assertThat(Answers.of(two.release(waiter, ((Granted) granted).grant().firstToken(), null)).released()).isTrue();
		assertThat(next).isInstanceOfSatisfying(Queued.class,
				(queued) -> assertThat(queued.queuedNow()).as("queued").isFalse());
		assertThat(Answers.of(two.attempt(ticket("two", 2), LEASE, AttemptOptions.queue(false))))
			.isInstanceOf(Granted.class);
	}

	private static Ticket ticket(String instance, long number) {
		return new Ticket("key", LockMode.EXCLUSIVE, instance, number, false);
	}

	private static LockStore open(LettuceConnectionFactory connections, String instance) {
		return new RedisLockBackend(connections, new RedisBackendSettings("distlock:", Duration.ofSeconds(2), true, 17),
				TimeSource.SYSTEM)
			.open(new StoreContext(LockInstance.of(instance), new NoSignals()));
	}

}
