package io.github.distlock.backend.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The scripts themselves, on a real server.
 */
@SuppressWarnings({ "unchecked", "rawtypes" })
class ScriptTests extends ScriptServer {

	private static final List<String> TWO_KEYS = KEYS.subList(0, 2);

	private static Reply take(String token, int tokens, String mark) {
		return ask(Scripts.ATTEMPT, token, "30000", mark + tokens);
	}

	private static Reply leave(String token, long used) {
		return ask(Scripts.RELEASE, token, Long.toString(used));
	}

	private static Reply ask(RedisScript<String> script, Object... args) {
		return Reply.parse(template.execute(script, TWO_KEYS, args));
	}

	@Test
	void noScriptHasALockThatAStackOverflowCouldLeaveTaken() {
		assertThat(Scripts.ATTEMPT.getClass().getDeclaredFields())
			.noneMatch((field) -> Lock.class.isAssignableFrom(field.getType()));
	}

	@Test
	void cancelledGrantsDoNotMoveTheTokensAheadOfTheClock() {
		take("a:0", 1001, "T");
		for (int i = 1; i < 100; i++) {
			take("a:" + i, 1001, "S");
		}
		leave("a:0", token());
		for (int i = 1; i < 100; i++) {
			assertThat(word()).startsWith("+a:" + i + "|1001|");
			ask(Scripts.CANCEL, "a:" + i);
		}
		take("b:1", 1, "T");
		assertThat(token()).isLessThanOrEqualTo(serverMicros());
	}

	private static long serverMicros() {
		return Objects.requireNonNull(
				template.execute((RedisConnection server) -> server.serverCommands().time(TimeUnit.MICROSECONDS)));
	}

	@Test
	void aTicketThatWasNotSeenForThreeSafetyIntervalsIsPassedOver() {
		take("a:1", 1, "T");
		take("gone:1", 1, "S");
		take("alive:1", 1, "S");
		queueKey().seenUntil("gone", System.currentTimeMillis() - 500);
		queueKey().seenUntil("alive", System.currentTimeMillis() + 60_000);
		leave("a:1", 0);
		assertThat(word()).startsWith("+alive:1|");
		assertThat(queueKey().tokens()).isEmpty();
	}

	@Test
	void aTicketWithAShortLeaseKeepsItsPlaceWhileAnotherTicketOfItsInstanceIsSeen() {
		take("a:1", 1, "T");
		ask(Scripts.ATTEMPT, "b:F1", "100", "S1");
		take("b:F2", 1, "S");
		long queued = System.currentTimeMillis();
		await().until(() -> System.currentTimeMillis() > queued + 400);
		leave("a:1", 0);
		// The lock of this lease ends at once.
		assertThat(queueKey().tokens()).contains("b:F2").doesNotContain("b:F1");
	}

	@Test
	void anInstanceThatDoesNotConfirmAGrantLosesItsOtherPlaces() {
		take("a:1", 1, "T");
		take("paused:F1", 1, "S");
		take("paused:F2", 1, "S");
		take("alive:F1", 1, "S");
		take("paused:F3", 1, "S");
		leave("a:1", 0);
		assertThat(word()).startsWith("+paused:F1|");
		assertThat(position("late:1", "S")).as("behind three").isEqualTo(3);
		template.delete(LOCK);
		assertThat(position("late:1", "S")).as("the first now").isZero();
		assertThat(word()).startsWith("+alive:F1|");
		assertThat(take("paused:F3", 1, "S").numbers()[3]).as("queued only now").isEqualTo(1);
		assertThat(take("paused:F3", 1, "S").numbers()[3]).as("queued before").isZero();
	}

	@Test
	void aTicketWhoseMessageHasNoReceiverIsPassedOver() {
		take("a:1", 1, "T");
		take("dead:1", 1, "T");
		assertThat(take("dead:2", 1, "T").kind()).isEqualTo(Reply.WAITING);
		leave("a:1", 0);
		assertThat(word()).startsWith("|");
		assertThat(take("b:1", 1, "T").kind()).isEqualTo(Reply.GRANTED);
	}

	@Test
	void theUsedTokenOfAReleaseCannotRaiseTheLastToken() {
		take("a:1", 17, "T");
		long first = token();
		take("b:1", 1, "T");
		leave("a:1", first + 1_000_000_000);
		assertThat(token()).isBetween(first + 16, first + 999_999_999);
	}

	@Test
	void aServerWithoutMemoryLetsALockBeAcquiredRenewedAndReleased() {
		take("a:1", 1, "T");
		withoutMemory(() -> {
			assertThat(template.execute(Scripts.RENEW, List.of(LOCK), "a:1|1|" + token(), "90000")).isEqualTo("1");
			assertThat(leave("a:1", token()).kind()).isEqualTo("ok");
			assertThat(take("b:1", 1, "T").kind()).isEqualTo(Reply.GRANTED);
			assertThat(leave("b:1", token()).kind()).isEqualTo("ok");
			template.delete(LOCK);
			assertThat(take("c:1", 1, "T").kind()).isEqualTo(Reply.GRANTED);
		});
	}

	@Test
	void tokensAheadOfTheClockAreRememberedUntilItHasPassedThem() {
		long ahead = System.currentTimeMillis() * 1000 + 60_000_000L;
		template.opsForValue().set(LOCK, "+a:1|1|" + ahead);
		leave("a:1", ahead);
		assertThat(template.getExpire(LOCK)).isBetween(60L, 72L);
		assertThat(take("b:1", 1, "T").numbers()[0]).isEqualTo(ahead + 1);
		assertThat(word()).as("a release looks at the clock").startsWith("+b:1|");
	}

	@Test
	void aRenewalNamesItsGrantAndExtendsNoOther() {
		long token = take("a:1", 1, "T").numbers()[0];
		List<String> lock = List.of(LOCK);
		assertThat(template.execute(Scripts.RENEW, lock, "a:1|1|" + token, "90000")).isEqualTo("1");
		assertThat(template.getExpire(LOCK)).isGreaterThan(80);
		assertThat(template.execute(Scripts.RENEW, lock, "a:1|1|" + (token - 1), "300000")).isEqualTo("0");
		assertThat(template.execute(Scripts.RENEW, lock, "b:1|1|" + token, "300000")).as("another ticket holds it")
			.isEqualTo("2");
		assertThat(template.getExpire(LOCK)).isLessThanOrEqualTo(90);
		take("c:1", 1, "T");
		assertThat(template.execute(Scripts.RENEW, lock, "a:1|1|" + token, "90000")).as("a ticket waits")
			.isEqualTo("1");
	}

	private static long position(String token, String mark) {
		Reply reply = take(token, 1, mark);
		assertThat(reply.kind()).isEqualTo(Reply.WAITING);
		return reply.numbers()[0];
	}

	@Test
	void tokensOfDeadTicketsAreNotUsedUp() {
		take("a:1", 1001, "T");
		for (int i = 0; i < 300; i++) {
			queueKey().add("dead:F" + i, 5000, 1001, true);
		}
		queueKey().add("b:1", 5000, 1001, false);
		queueKey().seenUntil("b", System.currentTimeMillis() + 60_000);
		template.opsForValue().set(LOCK, "+a:1|1001|" + token());
		leave("a:1", 0);
		assertThat(word()).startsWith("+b:1|");
		long before = token();
		template.delete(LOCK);
		assertThat(take("c:1", 1001, "T").numbers()[0]).isGreaterThan(before);
	}

	@Test
	void requiredRightsAreDocumentedAndTriedAtStart() throws IOException {
		Set<String> used = new TreeSet<>(commands(Scripts.ATTEMPT, Scripts.RELEASE, Scripts.CANCEL, Scripts.RENEW,
				Scripts.ADMIT, Scripts.READ_RENEW, Scripts.END, Scripts.INSPECT));
		Matcher documented = Pattern.compile("ACL SETUSER distlock .* -@all (.*)")
			.matcher(Files.readString(Path.of("..", "docs", "redis-operations.md")));
		assertThat(documented.find()).isTrue();
		assertThat(List.of(documented.group(1).replace("+", "").split(" "))).containsAll(used);
		assertThat(commands(Scripts.RIGHTS)).containsAll(used);
	}

	private static Set<String> commands(RedisScript<?>... scripts) {
		Set<String> used = new TreeSet<>();
		for (RedisScript<?> script : scripts) {
			Pattern.compile("(?:redis\\.p?call|try)\\('([A-Z]+)'")
				.matcher(script.getScriptAsString())
				.results()
				.forEach((call) -> used.add(call.group(1).toLowerCase(Locale.ROOT)));
		}
		return used;
	}

}
