package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.RespConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What a client can do that may publish to the inboxes, and knows or guesses the names of
 * tickets: {@code docs/threat-model.md} describes it.
 */
@ExtendWith(OutputCaptureExtension.class)
class ForgedMessageTests extends OnRedis {

	private static final String LOCK = "distlock:lock:{key}";

	/** A token that no clock reaches before the year 2255. */
	private static final String FAR = "9000000000000000";

	private final LockNodes nodes = new LockNodes(server::connectionFactory);

	private final BackendLockRegistry holder = this.nodes.node(Duration.ofSeconds(30));

	private final BackendLockRegistry victim = this.nodes.node(Duration.ofSeconds(30));

	@AutoClose
	private final RespConnection attacker = new RespConnection(server.port());

	@AfterEach
	void stop() {
		this.attacker.ask("FLUSHALL");
		this.nodes.close();
	}

	@Test
	void aMessageAboutTheTicketOfAnotherInstanceReleasesNothing() {
		HeldLock held = this.holder.acquire(LockRequest.of("key"));
		String ticket = ticket("key");
		String instance = victim();
		publish(instance, ticket, "1", "1");
		publish(instance, ticket, now(), now());
		// It sends what it still has to send.
		this.victim.shutdown();
		assertThat(ticket("key")).isEqualTo(ticket);
		assertThat(held.confirmHeld()).isTrue();
		held.close();
	}

	/** A thousand times 2 to the 61st is 0 in 64 bits: the arithmetic overflows. */
	@ParameterizedTest
	@ValueSource(longs = { 0, 1L << 61 })
	void aTokenThatIsFarAheadOfTheClockIsNotUsed(long microsAhead) throws Exception {
		HeldLock held = this.holder.acquire(LockRequest.of("key"));
		CompletableFuture<HeldLock> waiter = waiter();
		String ticket = waitingTicket();
		publish(victim(), ticket, FAR, FAR, Long.toString(Long.parseLong(now()) + microsAhead));
		held.close();
		HeldLock next = waiter.get(30, TimeUnit.SECONDS);
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken()).isLessThan(Long.parseLong(FAR));
		next.close();
	}

	@Test
	void aForgedGrantIsNoticedWhenItIsConfirmed() throws Exception {
		HeldLock held = this.holder.acquire(LockRequest.of("key"));
		CompletableFuture<HeldLock> waiter = waiter();
		String instance = victim();
		String ticket = waitingTicket();
		// One that is late counts as expired.
		await().until(() -> {
			publish(instance, ticket, now(), now());
			return waiter.isDone();
		});
		HeldLock entered = waiter.get(30, TimeUnit.SECONDS);
		await().until(() -> !entered.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(entered::close);
		assertThat(held.confirmHeld()).isTrue();
		held.close();
	}

	@Test
	void aForgedEndOfAGrantEndsNothing() {
		HeldLock held = this.victim.acquire(LockRequest.of("key"));
		HeldLock other = this.victim.acquire(LockRequest.of("other"));
		String instance = victim();
		publishEnd(instance, ticket("key"), "key", held);
		// This one is true, and arrives after the forged one.
		String ticket = ticket("other");
		this.attacker.ask("DEL", "distlock:lock:{other}");
		publishEnd(instance, ticket, "other", other);
		await().until(() -> !other.isHeld());
		assertThat(held.isHeld()).isTrue();
		held.close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(other::close)
			.satisfies((lost) -> assertThat(lost.lossCause()).isEqualTo(LossCause.RELEASED_BY_OPERATOR));
	}

	@Test
	void anUnreadableMessageIsNotWrittenToTheLog(CapturedOutput output) throws Exception {
		this.attacker.ask("PUBLISH", "distlock:inbox:" + victim(), "x\nERROR forged line");
		HeldLock held = this.holder.acquire(LockRequest.of("key"));
		CompletableFuture<HeldLock> waiter = waiter();
		held.close();
		waiter.get(30, TimeUnit.SECONDS).close();
		assertThat(flushed(output)).contains("Not a message of a script").doesNotContain("forged line");
	}

	private CompletableFuture<HeldLock> waiter() {
		CompletableFuture<HeldLock> waiter = this.victim
			.acquireAsync(LockRequest.of("key").waitTime(Duration.ofMinutes(2)));
		await().until(() -> Long.valueOf(1).equals(this.attacker.ask("ZCOUNT", "distlock:queue:2:{key}", "0", "1e11")));
		return waiter;
	}

	private void publish(String instance, String ticket, String first, String last) {
		publish(instance, ticket, first, last, now());
	}

	private void publish(String instance, String ticket, String first, String last, String granted) {
		this.attacker.ask("PUBLISH", "distlock:inbox:" + instance,
				String.join("|", ticket, first, last, "5000", granted, LOCK));
	}

	private void publishEnd(String instance, String ticket, String key, HeldLock held) {
		this.attacker.ask("PUBLISH", "distlock:inbox:" + instance,
				"ended|" + ticket + "|" + held.fencingToken() + "|distlock:lock:{" + key + "}");
	}

	private String now() {
		List<?> time = (List<?>) Objects.requireNonNull(this.attacker.ask("TIME"));
		return String.valueOf(Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1)));
	}

	private String ticket(String key) {
		String word = String.valueOf(this.attacker.ask("GET", "distlock:lock:{" + key + "}"));
		return word.substring(1, word.indexOf('|'));
	}

	private String waitingTicket() {
		List<?> first = (List<?>) Objects
			.requireNonNull(this.attacker.ask("ZRANGE", "distlock:queue:2:{key}", "0", "0"));
		return String.valueOf(first.get(0));
	}

	/** The id of the victim, whose inbox is subscribed. */
	private String victim() {
		String instance;
		try (HeldLock own = this.victim.acquire(LockRequest.of("own"))) {
			String word = String.valueOf(this.attacker.ask("GET", "distlock:lock:{own}"));
			instance = word.substring(1, word.lastIndexOf(':'));
		}
		await()
			.until(() -> Long.valueOf(1).equals(this.attacker.ask("PUBLISH", "distlock:inbox:" + instance, "probe:")));
		return instance;
	}

}
