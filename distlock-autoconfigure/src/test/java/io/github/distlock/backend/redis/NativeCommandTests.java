package io.github.distlock.backend.redis;

import java.util.List;

import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks that are taken and released without scripts, on the Valkey of this machine.
 */
class NativeCommandTests extends TwoStoresOnValkey {

	private static Grant take(LockStore store, Ticket ticket) {
		return ((AttemptResult.Granted) Answers.of(store.attempt(ticket, LEASE, AttemptOptions.queue(true)))).grant();
	}

	@Test
	void aLockThatIsUsedAgainAndAgainNeedsNoScript() {
		useAgainAndAgain(this.store);
	}

	@Test
	void itNeedsNoScriptOverJedisEither() {
		JedisConnectionFactory jedis = jedis();
		LockStore overJedis = open(jedis, "a");
		useAgainAndAgain(overJedis);
		overJedis.close();
		jedis.destroy();
	}

	@Test
	void aLockThatMayBeKeptNeedsNoScriptEither() {
		AttemptOptions keepable = new AttemptOptions(true, true, false);
		await().until(() -> {
			Ticket ticket = ticket("a");
			AttemptResult.Granted granted = (AttemptResult.Granted) Answers
				.of(this.store.attempt(ticket, LEASE, keepable));
			Answers.of(this.store.release(ticket, granted.grant().firstToken(), null));
			return granted.keepable();
		});
		long before = scripts();
		for (int i = 0; i < 20; i++) {
			Ticket ticket = ticket("a");
			AttemptResult.Granted granted = (AttemptResult.Granted) Answers
				.of(this.store.attempt(ticket, LEASE, keepable));
			long first = granted.grant().firstToken();
			assertThat(granted.keepable()).isTrue();
			assertThat(word()).isEqualTo("-" + ticket.token() + "|017|" + first);
			assertThat(Answers
				.of(this.store.renew(List.of(new Renewal(ticket, granted.grant().lastToken(), LEASE, true)))))
				.singleElement()
				.isInstanceOf(RenewalResult.Extended.class);
			assertThat(Answers.of(this.store.release(ticket, first, null)).released()).isTrue();
			assertThat(word()).isEqualTo("|" + first);
		}
		assertThat(scripts() - before).as("renewals, and a few attempts").isLessThan(30);
		Ticket unmarked = ticket("a");
		assertThat(word()).isNotNull();
		long first = take(this.store, unmarked).firstToken();
		assertThat(word()).isEqualTo("-" + unmarked.token() + "|17|" + first);
	}

	private void useAgainAndAgain(LockStore user) {
		long last = 0;
		long before = -1;
		for (int i = 0; i < 100; i++) {
			Ticket ticket = ticket("a");
			Grant grant = take(user, ticket);
			assertThat(grant.firstToken()).isGreaterThan(last);
			assertThat(word()).isEqualTo("-" + ticket.token() + "|17|" + grant.firstToken());
			assertThat((Long) this.server.ask("PTTL", LOCK)).isBetween(29_000L, 30_000L);
			last = grant.firstToken() + i % 2;
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
			long first = take(this.store, ticket).firstToken();
			List<?> time = (List<?>) this.server.ask("TIME");
			long now = Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1));
			assertThat(now - first).isBetween(0L, 5_000_000L);
			Answers.of(this.store.release(ticket, first, null));
		}
	}

	@Test
	void aLockThatAnotherJvmHasUsedInBetweenIsTakenByTheScript() {
		Ticket first = ticket("a");
		long token = take(this.store, first).firstToken();
		Answers.of(this.store.release(first, token, null));
		Ticket second = ticket("b");
		long higher = take(this.other, second).firstToken();
		assertThat(higher).isGreaterThan(token);
		assertThat(Answers.of(this.store.attempt(ticket("a"), LEASE, AttemptOptions.queue(false))))
			.isInstanceOf(AttemptResult.Busy.class);
		Answers.of(this.other.release(second, higher, null));
		assertThat(take(this.store, ticket("a")).firstToken()).isGreaterThan(higher);
	}

	@Test
	void aServerWithoutTheCommandIsAskedByScripts() {
		close();
		start(RedisProcess.start(RedisTestServer.freePort()));
		for (int i = 0; i < 10; i++) {
			Ticket ticket = ticket("a");
			Answers.of(this.store.release(ticket, take(this.store, ticket).firstToken(), null));
		}
		assertThat(this.server.info("cmdstat_set")).as("the detection").contains("calls=1,");
		assertThat(scripts()).isGreaterThanOrEqualTo(20);
	}

	@Test
	void aUserWithoutTheRightForTheCommandUsesScripts() {
		this.server.ask("ACL", "SETUSER", "default", "-set");
		for (int i = 0; i < 10; i++) {
			Ticket ticket = ticket("a");
			Answers.of(this.store.release(ticket, take(this.store, ticket).firstToken(), null));
		}
		assertThat(scripts()).isGreaterThanOrEqualTo(20);
	}

}
