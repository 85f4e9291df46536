package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.NoSignals;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Releases by native commands whose answer no thread waits for, on the Valkey of this
 * machine.
 */
class NativeReleaseTests {

	private static final String LOCK = new RedisKeys("distlock:").lock("k");

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final int REPETITIONS = 20;

	private RedisProcess server;

	private LettuceConnectionFactory connections;

	private LockStore store;

	private LockStore other;

	private int numbers;

	@BeforeEach
	void open() {
		this.server = RedisProcess.start(RedisProcess.assumeInstalled("valkey-server"), RedisTestServer.freePort(),
				List.of());
		this.connections = RedisTestServer.connectionFactory(this.server.port());
		this.store = open(this.connections, "a");
		this.other = open(this.connections, "b");
	}

	private static LockStore open(RedisConnectionFactory connections, String instance) {
		return new RedisLockBackend(connections, new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 17),
				TimeSource.SYSTEM)
			.open(new StoreContext(instance, new NoSignals()));
	}

	@AfterEach
	void close() {
		if (this.server != null) {
			Stream.of(this.store, this.other).forEach(LockStore::close);
			this.connections.destroy();
			this.server.close();
		}
	}

	private Ticket ticket(String instance) {
		return ticket(instance, LockMode.EXCLUSIVE);
	}

	private Ticket ticket(String instance, LockMode mode) {
		return new Ticket("k", mode, instance, ++this.numbers, false);
	}

	private static long take(LockStore store, Ticket ticket) {
		return ((AttemptResult.Granted) store.attempt(ticket, LEASE, false)).grant().firstToken();
	}

	private @Nullable CompletableFuture<ReleaseResult> release(LockStore store, Ticket ticket, long token) {
		var answer = store.releaseInOrder(ticket, token, null);
		return (answer != null) ? answer.toCompletableFuture() : null;
	}

	private String word() {
		return (String) this.server.ask("GET", LOCK);
	}

	private long calls(String command) {
		String stats = this.server.info("cmdstat_" + command);
		return stats.isEmpty() ? 0 : Long.parseLong(stats.replaceAll("calls=(\\d+),.*", "$1"));
	}

	private long scripts() {
		return calls("evalsha") + calls("eval");
	}

	/** A ticket of another instance is queued as soon as messages reach that instance. */
	private Ticket letAnotherWait() {
		Ticket waiter = ticket("b");
		if (!isQueued(waiter)) {
			await().until(() -> isQueued(waiter));
		}
		return waiter;
	}

	private boolean isQueued(Ticket waiter) {
		assertThat(this.other.attempt(waiter, LEASE, true)).isInstanceOf(AttemptResult.Queued.class);
		return word().startsWith("+");
	}

	/** No ticket waits, but the word of the lock still says that one does. */
	private void letAnotherComeAndGo() {
		this.other.cancel(letAnotherWait());
		assertThat(word()).startsWith("+");
	}

	@Test
	void aLockThatIsTakenRightBehindItsReleaseNeedsNoScript() {
		long last = take(this.store, ticket("a"));
		this.server.ask("DEL", LOCK);
		long before = scripts();
		for (int i = 0; i < REPETITIONS; i++) {
			Ticket ticket = ticket("a");
			long token = take(this.store, ticket);
			assertThat(token).isGreaterThan(last);
			last = token + i % 2;
			CompletableFuture<ReleaseResult> answer = release(this.store, ticket, last);
			assertThat(answer.thenApply(ReleaseResult::released)).succeedsWithin(LEASE).isEqualTo(true);
			assertThat(word()).isEqualTo("|" + last);
		}
		for (int i = 0; i < REPETITIONS; i++) {
			Ticket ticket = ticket("a");
			release(this.store, ticket, take(this.store, ticket));
		}
		assertThat(scripts() - before).isLessThan(20);
	}

	@Test
	void aWaiterOfAnotherJvmGetsTheLock() {
		for (int i = 0; i < REPETITIONS; i++) {
			Ticket first = ticket("a");
			long token = take(this.store, first);
			Ticket waiter = letAnotherWait();
			CompletableFuture<ReleaseResult> answer = release(this.store, first, token);
			assertThat(answer.thenApply(ReleaseResult::released)).succeedsWithin(LEASE).isEqualTo(true);
			long next = take(this.other, waiter);
			assertThat(next).isGreaterThan(token);
			this.other.release(waiter, next, null);
			this.server.ask("FLUSHALL");
		}
		assertThat(calls("set")).as("releases that find another word").isGreaterThan(REPETITIONS);
	}

	@Test
	void anAttemptBehindAReleaseThatNeedsTheScriptIsNotRefused() {
		for (int i = 0; i < REPETITIONS; i++) {
			Ticket first = ticket("a");
			long token = take(this.store, first);
			letAnotherComeAndGo();
			CompletableFuture<ReleaseResult> answer = release(this.store, first, token);
			Ticket next = ticket("a");
			long higher = take(this.store, next);
			assertThat(higher).isGreaterThan(token);
			assertThat(answer).isDone();
			this.store.release(next, higher, null);
			this.server.ask("FLUSHALL");
		}
	}

	@Test
	void anAttemptOfAReaderBehindAReleaseThatNeedsTheScriptIsNotRefused() {
		for (int i = 0; i < REPETITIONS; i++) {
			Ticket first = ticket("a");
			long token = take(this.store, first);
			letAnotherComeAndGo();
			CompletableFuture<ReleaseResult> answer = release(this.store, first, token);
			Ticket reader = ticket("a", LockMode.READ);
			long higher = take(this.store, reader);
			assertThat(higher).isGreaterThan(token);
			assertThat(answer).isDone();
			this.store.release(reader, higher, null);
			this.server.ask("FLUSHALL");
		}
	}

	@Test
	void aLossIsFoundByTheScript() {
		Ticket first = ticket("a");
		long token = take(this.store, first);
		this.server.ask("DEL", LOCK);
		assertThat(release(this.store, first, token).thenApply(ReleaseResult::released)).succeedsWithin(LEASE)
			.isEqualTo(false);
		assertThat(word()).isNull();
	}

	@Test
	void aReleaseIsRepeatedByTheScriptAndFindsThatItWasExecuted() {
		Ticket first = ticket("a");
		long token = take(this.store, first);
		assertThat(release(this.store, first, token)).succeedsWithin(LEASE);
		assertThat(this.store.release(first, token, null).released()).isFalse();
		assertThat(word()).isEqualTo("|" + token);
		Ticket next = ticket("a");
		long higher = take(this.store, next);
		assertThat(release(this.store, first, token).thenApply(ReleaseResult::released)).succeedsWithin(LEASE)
			.isEqualTo(false);
		assertThat(word()).isEqualTo("-" + next.token() + "|17|" + higher);
	}

	@Test
	void aCommandThatTheUserMayNotSendIsFollowedByTheScript() {
		Ticket first = ticket("a");
		long token = take(this.store, first);
		this.server.ask("ACL", "SETUSER", "default", "-set");
		CompletableFuture<ReleaseResult> answer = release(this.store, first, token);
		Ticket next = ticket("a");
		long higher = take(this.store, next);
		assertThat(higher).isGreaterThan(token);
		assertThat(answer.thenApply(ReleaseResult::released)).succeedsWithin(LEASE).isEqualTo(true);
		String refused = this.server.info("cmdstat_set");
		assertThat(release(this.store, next, higher).thenApply(ReleaseResult::released)).succeedsWithin(LEASE)
			.isEqualTo(true);
		assertThat(this.server.info("cmdstat_set")).isEqualTo(refused);
	}

	@Test
	void aScriptThatTheServerHasForgottenMakesTheReleaseFail() {
		Ticket first = ticket("a");
		assertThat(this.store.releaseInOrder(first, 1, null).toCompletableFuture()).as("the script is known")
			.succeedsWithin(LEASE);
		long token = take(this.store, first);
		letAnotherComeAndGo();
		this.server.ask("SCRIPT", "FLUSH");
		CompletableFuture<ReleaseResult> answer = release(this.store, first, token);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(answer::join)
			.withCauseInstanceOf(LockBackendException.class);
		assertThat(this.store.attempt(ticket("a"), LEASE, false)).isInstanceOf(AttemptResult.Busy.class);
		assertThat(this.store.release(first, token, null).released()).isTrue();
		take(this.store, ticket("a"));
	}

	@Test
	void aBrokenConnectionMakesTheReleaseFailAndHoldsNoAttemptBack() {
		Ticket first = ticket("a");
		long token = take(this.store, first);
		this.server.ask("CLIENT", "PAUSE", "60000", "WRITE");
		CompletableFuture<ReleaseResult> answer = release(this.store, first, token);
		this.server.ask("CLIENT", "KILL", "TYPE", "normal");
		assertThatExceptionOfType(CompletionException.class).isThrownBy(answer::join)
			.withCauseInstanceOf(LockBackendException.class);
		this.server.ask("CLIENT", "UNPAUSE");
		await().ignoreExceptionsInstanceOf(LockBackendException.class)
			.until(() -> this.store.attempt(ticket("a"), LEASE, false) instanceof AttemptResult.Busy);
		assertThat(this.store.release(first, token, null).released()).isTrue();
		take(this.store, ticket("a"));
	}

	@Test
	void aReleaseThatIsExecutedTooLateHarmsNoLaterGrant() {
		Ticket first = ticket("a");
		long token = take(this.store, first);
		this.server.stall();
		CompletableFuture<ReleaseResult> answer = release(this.store, first, token);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(answer::join)
			.withCauseInstanceOf(LockBackendException.class);
		this.server.resume();
		await().ignoreExceptionsInstanceOf(LockBackendException.class)
			.until(() -> this.store.release(first, token, null) != null);
		Ticket next = ticket("a");
		long higher = take(this.store, next);
		assertThat(higher).isGreaterThan(token);
		assertThat(word()).isEqualTo("-" + next.token() + "|17|" + higher);
	}

	@Test
	void connectionsWithoutOrderLeaveTheReleaseToACommandThatIsAnswered() {
		JedisConnectionFactory jedis = new JedisConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", this.server.port()));
		jedis.afterPropertiesSet();
		jedis.start();
		LockStore overJedis = open(jedis, "c");
		Ticket first = ticket("c");
		long token = take(overJedis, first);
		assertThat(release(overJedis, first, token)).isNull();
		// The script of a release would write with PSETEX. Checks of an inbox run
		// meanwhile.
		long written = calls("psetex");
		assertThat(overJedis.release(first, token, null).released()).isTrue();
		assertThat(calls("psetex")).isEqualTo(written);
		assertThat(word()).startsWith("|");
		overJedis.close();
		jedis.destroy();
	}

}
