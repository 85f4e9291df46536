package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.installed.Installed;
import io.github.distlock.testing.NoSignals;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks that are taken and released without scripts, on the Valkey of this machine, also
 * by releases whose answer no thread waits for. Two stores stand for the JVMs {@code a}
 * and {@code b}.
 */
@Tag(Installed.TAG)
class NativeCommandTests {

	private static final String LOCK = new RedisKeys("distlock:").lock("k");

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final int REPETITIONS = 20;

	private RedisProcess server;

	private LettuceConnectionFactory connections;

	private LockStore store;

	private LockStore other;

	private int numbers;

	@BeforeEach
	void open() {
		start(RedisProcess.start(Installed.VALKEY_SERVER.assume(), RedisTestServer.freePort(), List.of()));
	}

	private void start(RedisProcess started) {
		this.server = started;
		this.connections = RedisTestServer.connectionFactory(started.port());
		this.store = open("a");
		this.other = open("b");
	}

	private LockStore open(String instance) {
		return open(this.connections, instance);
	}

	private static LockStore open(RedisConnectionFactory connections, String instance) {
		return OnRedis.backend(connections).open(new StoreContext(LockInstance.of(instance), new NoSignals()));
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

	private Ticket permit(String instance, int permits) {
		return new Ticket("k", LockMode.READ, instance, ++this.numbers, true, permits);
	}

	private String word() {
		return (String) this.server.ask("GET", LOCK);
	}

	/** How often the server has run a script. */
	private long scripts() {
		return this.server.calls("evalsha") + this.server.calls("eval");
	}

	private static long take(LockStore store, Ticket ticket) {
		return take(store, ticket, false);
	}

	private static long take(LockStore store, Ticket ticket, boolean queue) {
		return ((Grant) Answers.of(store.attempt(ticket, LEASE, queue))).firstToken();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 5 })
	void aLockThatIsUsedAgainAndAgainNeedsNoScript(int permits) {
		useAgainAndAgain(this.store, permits);
	}

	@Test
	void itNeedsNoScriptOverJedisEither() {
		JedisConnectionFactory jedis = RedisTestServer.started(OnRedis.jedis(this.server.port()));
		LockStore overJedis = open(jedis, "a");
		assertThat(overJedis.keepsOrder()).isFalse();
		useAgainAndAgain(overJedis, 0);
		overJedis.close();
		jedis.destroy();
	}

	/** Without permits the lock is exclusive. */
	private void useAgainAndAgain(LockStore user, int permits) {
		int tokens = (permits > 0) ? 1 : 17;
		long last = 0;
		long before = -1;
		for (int i = 0; i < 100; i++) {
			Ticket ticket = (permits > 0) ? permit("a", permits) : ticket("a");
			long token = take(user, ticket, i % 2 == 0);
			assertThat(token).isGreaterThan(last);
			assertThat(word()).isEqualTo("-" + ticket.token() + "|" + tokens + "|" + token);
			assertThat((Long) this.server.ask("PTTL", LOCK)).isBetween(570_000L, 600_000L);
			last = token + i % 2 % tokens;
			if (i % 25 == 0) {
				assertThat(Answers.of(user.renew(List.of(new Renewal(ticket, token + tokens - 1, LEASE)))))
					.singleElement()
					.isInstanceOf(RenewalResult.Extended.class);
			}
			assertThat(Answers.of(user.release(ticket, last, null)).released()).isTrue();
			assertThat(word()).isEqualTo("|" + last);
			before = (before < 0) ? scripts() : before;
		}
		assertThat(scripts() - before).isLessThan(20);
	}

	@Test
	void tokensAreNotAheadOfTheClockOfTheServer() {
		for (int i = 0; i < 50; i++) {
			Ticket ticket = ticket("a");
			long first = take(this.store, ticket);
			List<?> time = (List<?>) this.server.ask("TIME");
			long now = Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1));
			assertThat(first).isLessThanOrEqualTo(now);
			Answers.of(this.store.release(ticket, first, null));
		}
	}

	@Test
	void aServerWithoutTheCommandIsAskedByScripts() {
		close();
		start(RedisProcess.start(RedisTestServer.freePort()));
		for (int i = 0; i < 10; i++) {
			Ticket ticket = ticket("a");
			Answers.of(this.store.release(ticket, take(this.store, ticket), null));
		}
		assertThat(this.server.info("cmdstat_set")).as("the detection").contains("calls=1,");
		assertThat(scripts()).isGreaterThanOrEqualTo(20);
	}

	private CompletableFuture<ReleaseResult> release(LockStore store, Ticket ticket, long token) {
		return store.release(ticket, token, null).toCompletableFuture();
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
		assertThat(Answers.of(this.other.attempt(waiter, LEASE, true))).isInstanceOf(AttemptResult.Queued.class);
		return word().startsWith("+");
	}

	/** No ticket waits, but the word of the lock still says that one does. */
	private void letAnotherComeAndGo() {
		Answers.of(this.other.cancel(letAnotherWait()));
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
			assertThat(Answers.of(answer).released()).isTrue();
			assertThat(word()).isEqualTo("|" + last);
		}
		for (int i = 0; i < REPETITIONS; i++) {
			Ticket ticket = ticket("a");
			release(this.store, ticket, take(this.store, ticket));
		}
		assertThat(scripts() - before).isLessThan(20);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	void anAttemptBehindAReleaseThatNeedsTheScriptIsNotRefused(LockMode mode) {
		for (int i = 0; i < REPETITIONS; i++) {
			Ticket first = ticket("a");
			long token = take(this.store, first);
			letAnotherComeAndGo();
			CompletableFuture<ReleaseResult> answer = release(this.store, first, token);
			Ticket next = ticket("a", mode);
			long higher = take(this.store, next);
			assertThat(higher).isGreaterThan(token);
			assertThat(answer).isDone();
			Answers.of(this.store.release(next, higher, null));
			this.server.ask("FLUSHALL");
		}
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
		assertThat(Answers.of(answer).released()).isTrue();
		String refused = this.server.info("cmdstat_set");
		assertThat(Answers.of(release(this.store, next, higher)).released()).isTrue();
		assertThat(this.server.info("cmdstat_set")).isEqualTo(refused);
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
			.until(() -> Answers.of(this.store.attempt(ticket("a"), LEASE, false)) instanceof AttemptResult.Busy);
		assertThat(Answers.of(this.store.release(first, token, null)).released()).isTrue();
		take(this.store, ticket("a"));
	}

}
