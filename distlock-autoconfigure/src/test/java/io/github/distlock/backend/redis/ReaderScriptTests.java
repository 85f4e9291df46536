package io.github.distlock.backend.redis;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.distlock.testing.RespConnection;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

/**
 * Readers and writers in the scripts themselves, on a real server, then readers with
 * limits.
 */
class ReaderScriptTests extends ScriptServer {

	@Test
	void readersWithoutAnInboxArePassedOverAtNoCost() {
		attempt("w:W1");
		attempt("a:FR1", 30_000, "T");
		attempt("b:FR1", 30_000, "T");
		attempt("v:W1");
		release("w:W1", 0);
		assertThat(word()).startsWith("+v:W1|");
		attempt("a:FR2", 30_000, "T");
		attempt("b:FR2");
		release("v:W1", 0);
		assertThat(readers()).containsExactly("b:FR2");
	}

	@Test
	void deadReadersAreRemovedWhileOthersRead() {
		attempt("dead:FR1", 100, "S");
		attempt("a:FR1");
		await().until(() -> hasEnded("dead:FR1"));
		attempt("b:FR1");
		assertThat(template.opsForZSet().size(READERS)).as("two members each").isEqualTo(4);
	}

	@Test
	void aReaderThatReleasesTooLateAndWaitsAgainLetsNoTicketInBesideTheWriter() {
		for (Function<String, Object> leaving : List.<Function<String, Object>>of((token) -> release(token, 0),
				ScriptServer::cancel)) {
			forget();
			attempt("a:FR1");
			release("c:FR1", attempt("c:FR1").numbers()[0]);
			attempt("w:W1");
			for (String token : List.of("a:FR1", "b:FR1")) {
				queueKey().add(token, 5000, 1, false);
				queueKey().seenUntil(token.substring(0, 1), System.currentTimeMillis() + 60_000);
			}
			template.opsForZSet().add(READERS, "a:FR1", System.currentTimeMillis() - 1);
			leaving.apply("a:FR1");
			assertThat(word()).startsWith("+w:W1|");
			assertThat(queue()).containsExactly("b:FR1");
			assertThat(template.hasKey(READERS)).isFalse();
		}
	}

	@Test
	void theRenewalOfAReaderNamesItsGrantAndNeverShortensIt() {
		long first = attempt("a:FR1", 20_000, "S").numbers()[0];
		long second = attempt("b:FR1", 40_000, "S").numbers()[0];
		assertThat(renew("a:FR1", first - 1, 90_000)).isZero();
		assertThat(renew("c:FR1", first, 90_000)).isZero();
		assertThat(ttl()).isLessThanOrEqualTo(40_000);
		assertThat(renew("a:FR1", first, 25_000)).isOne();
		assertThat(readers()).as("by their ends").containsExactly("a:FR1", "b:FR1");
		assertThat(renew("a:FR1", first, 90_000)).isOne();
		assertThat(renew("a:FR1", first, 1000)).isOne();
		assertThat(readers()).containsExactly("b:FR1", "a:FR1");
		assertThat(ttl()).isGreaterThan(80_000);
		release("a:FR1", first);
		assertThat(renew("a:FR1", first, 90_000)).isZero();
		assertThat(ttl()).isLessThanOrEqualTo(40_000);
		assertThat(renew("b:FR1", second, 90_000)).isOne();
	}

	@Test
	void aReaderWhoseLeaseHasEndedIsNotRenewedAlthoughOthersRead() {
		long first = attempt("a:FR1").numbers()[0];
		attempt("b:FR1");
		template.opsForZSet().add(READERS, "a:FR1", System.currentTimeMillis() - 1);
		assertThat(renew("a:FR1", first, 90_000)).isZero();
		assertThat(release("a:FR1", first).kind()).isEqualTo(Reply.GONE);
	}

	private static boolean hasEnded(String token) {
		return template.opsForZSet().score(READERS, token) < System.currentTimeMillis();
	}

	@Test
	void exclusiveTicketsThatDoNotNameTheReadersLetThemIn() {
		List<String> two = KEYS.subList(0, 2);
		template.execute(Scripts.ATTEMPT, two, "x:1", "30000", "S17");
		attempt("a:FR1");
		template.execute(Scripts.RELEASE, two, "x:1", "0");
		assertThat(readers()).containsExactly("a:FR1");
		assertThat(template.execute(Scripts.ATTEMPT, two, "x:2", "30000", "S17")).startsWith("waiting");
		attempt("b:FR1");
		template.execute(Scripts.CANCEL, two, "x:2");
		assertThat(readers()).containsExactlyInAnyOrder("a:FR1", "b:FR1");
	}

	@Test
	void aServerWithoutMemoryLetsReadersEnterRenewAndLeave() {
		attempt("w:W1");
		attempt("b:FR1");
		withoutMemory(() -> {
			assertThat(release("w:W1", 0).kind()).isEqualTo("ok");
			assertThat(readers()).containsExactly("b:FR1");
			long first = attempt("a:FR1").numbers()[0];
			assertThat(renew("a:FR1", first, 90_000)).isOne();
			assertThat(cancel("b:FR1")).isEqualTo("ok");
			assertThat(release("a:FR1", first).kind()).isEqualTo("ok");
			assertThat(attempt("c:FR1").kind()).as("after a tombstone").isEqualTo(Reply.GRANTED);
			template.delete(KEYS);
			assertThat(attempt("c:FR1").kind()).isEqualTo(Reply.GRANTED);
		});
	}

	@Test
	void aDeadWriterDoesNotKeepReadersOutWhileOthersRead() {
		attempt("a:FR1");
		attempt("dead:W1", 30_000, "T");
		assertThat(attempt("b:FR1").kind()).isEqualTo(Reply.WAITING);
		assertThat(attempt("b:FR1").kind()).as("attempts again").isEqualTo(Reply.GRANTED);
	}

	@Test
	void aReaderThatExpiresWhenOnlyDeadReadersComeNextKeepsNoWriterOut() {
		attempt("a:FR1");
		attempt("w:W1");
		attempt("dead:FR1", 30_000, "T");
		attempt("v:W1");
		template.opsForZSet().add(READERS, "a:FR1", System.currentTimeMillis() - 1);
		assertThat(cancel("w:W1")).isEqualTo("ok");
		assertThat(word()).startsWith("+v:W1|");
		assertThat(queue()).isEmpty();
	}

	@Test
	void aReaderThatAttemptsWhenTheLastOneExpiresIsQueuedBehindTheWriter() {
		attempt("a:FR1");
		attempt("w:W1");
		attempt("dead:FR1", 30_000, "T");
		attempt("v:W1");
		queueKey().remove("w:W1");
		template.opsForZSet().add(READERS, "a:FR1", System.currentTimeMillis() - 1);
		assertThat(attempt("b:FR1").kind()).isEqualTo(Reply.WAITING);
		assertThat(word()).startsWith("+v:W1|");
		assertThat(queue()).containsExactly("b:FR1");
	}

	@Test
	void aWriterWhoseInboxIsStillOpenMustConfirmThatItWaits() {
		try (RespConnection inbox = new RespConnection(server.port())) {
			inbox.ask("SUBSCRIBE", "distlock:inbox:silent");
			attempt("a:FR1");
			attempt("silent:W1", 30_000, "T");
			attempt("b:FR1");
			assertThat(attempt("b:FR1").kind()).isEqualTo(Reply.WAITING);
			attempt("silent:W1", 30_000, "T");
			assertThat(queueKey().entry("silent:W1")).as("it did").endsWith("|T");
			assertThat(attempt("b:FR1").kind()).isEqualTo(Reply.WAITING);
			assertThat(queueKey().entry("silent:W1")).isEqualTo("silent:W1|5000|1|S");
			queueKey().seenUntil("silent", System.currentTimeMillis() - 500);
			assertThat(attempt("b:FR1").kind()).isEqualTo(Reply.GRANTED);
		}
	}

	@Test
	void aTicketThatItsJvmDoesNotKnowIsCancelledAndNoTicketWaitsBehindIt() {
		attempt("a:FR1");
		attempt("stray:W1");
		attempt("b:FR1");
		assertThat(release("stray:W1", 0).kind()).as("as unknown grants are answered").isEqualTo(Reply.GONE);
		assertThat(readers()).containsExactlyInAnyOrder("a:FR1", "b:FR1");
	}

	@Test
	void aReaderThatCannotEnterYetKeepsItsPlace() {
		attempt("w:1");
		attempt("r:FR1");
		// As exclusive tickets send it, which do not name the set of readers.
		limitKeys("resetkeys", "~distlock:lock:*", "~distlock:queue:*");
		try {
			assertThatException().isThrownBy(() -> template.execute(Scripts.RELEASE, KEYS.subList(0, 2), "w:1", "0"))
				.havingRootCause()
				.withMessageContaining("can't access at least one of the keys");
		}
		finally {
			limitKeys("allkeys");
		}
		assertThat(queue()).containsExactly("r:FR1");
		assertThat(template.getExpire(KEYS.get(1))).isPositive();
		assertThat(release("w:1", 0).kind()).isEqualTo("ok");
		assertThat(readers()).containsExactly("r:FR1");
	}

	private static void limitKeys(String... rules) {
		template.execute((RedisConnection connection) -> connection.execute("ACL",
				Stream.concat(Stream.of("SETUSER", "default"), Stream.of(rules))
					.map(String::getBytes)
					.toArray(byte[][]::new)));
	}

	@Test
	void oneThatHoldsTheLockAloneOwnsItUntilTheNextOneAttempts() {
		template.opsForZSet().add(READERS, "left:F02p1", 9e13);
		long first = attempt("a:F02p1", 20_000, "S").numbers()[0];
		assertThat(word()).isEqualTo("-a:F02p1|1|" + first);
		assertThat(attempt("a:F02p1", 40_000, "S").numbers()[0]).as("asked again").isEqualTo(first);
		assertThat(renew("a:F02p1", first, 40_000)).isOne();
		assertThat(renew("a:F02p1", first - 1, 90_000)).isZero();
		assertThat(ttl()).isBetween(30_000L, 40_000L);
		assertThat(attempt("x:1", 30_000, "N").kind()).isEqualTo(Reply.BUSY);
		assertThat(word()).as("exclusive tickets change nothing").isEqualTo("-a:F02p1|1|" + first);
		long second = attempt("b:F02p1", 20_000, "S").numbers()[0];
		assertThat(word()).isEqualTo("~" + second);
		assertThat(readers()).containsExactly("b:F02p1", "a:F02p1");
		assertThat(template.opsForZSet().size(READERS)).as("two members each").isEqualTo(4);
		assertThat(ttl()).isBetween(30_000L, 40_002L);
		assertThat(attempt("a:F02p1").numbers()).startsWith(first).hasSize(2);
		assertThat(renew("a:F02p1", first, 60_000)).isOne();
		assertThat(release("a:F02p1", first).kind()).isEqualTo("ok");
		assertThat(readers()).containsExactly("b:F02p1");
	}

	@Test
	void oneThatHoldsTheLockAloneIsSharedByATicketThatHasToWait() {
		long first = attempt("a:F01p1").numbers()[0];
		assertThat(attempt("x:1", 30_000, "T").kind()).isEqualTo(Reply.WAITING);
		assertThat(word()).isEqualTo("+a:F01p1|1|" + first);
		assertThat(attempt("b:F02p1").kind()).as("behind the exclusive one").isEqualTo(Reply.WAITING);
		assertThat(word()).isEqualTo("~" + first);
		assertThat(readers()).containsExactly("a:F01p1");
		assertThat(cancel("x:1")).isEqualTo("ok");
		assertThat(readers()).containsExactlyInAnyOrder("a:F01p1", "b:F02p1");
	}

	@Test
	void oneThatHoldsTheLockAloneIsCancelledOrEndedLikeAnyOwner() {
		attempt("a:F02p1");
		assertThat(cancel("a:F02p1")).isEqualTo("ok");
		assertThat(word()).startsWith("|");
		long first = attempt("a:F02p2").numbers()[0];
		attempt("x:1", 30_000, "S");
		assertThat(template.execute(Scripts.END, KEYS, Long.toString(first))).isEqualTo("ended");
		assertThat(word()).startsWith("+x:1|");
	}

	@Test
	void theReleaseOfAnExclusiveTicketDoesNotGrantTheWholeLockToATicketWithALimit() {
		List<String> two = KEYS.subList(0, 2);
		long first = Long.parseLong(template.execute(Scripts.ATTEMPT, two, "x:1", "30000", "T17"));
		attempt("a:F02p1", 30_000, "T");
		try (RespConnection inbox = new RespConnection(server.port())) {
			inbox.ask("SUBSCRIBE", "distlock:inbox:a");
			assertThat(template.execute(Scripts.RELEASE, two, "x:1", Long.toString(first))).isEqualTo("ok");
		}
		assertThat(word()).startsWith("~");
		assertThat(readers()).containsExactly("a:F02p1");
	}

	@Test
	void theNextIsCalledInPlaceOfOneWhoseJvmReceivesNothing() {
		attempt("w:W1");
		attempt("dead:F02p1", 30_000, "T");
		attempt("dead:F02p2", 30_000, "T");
		for (String token : List.of("a:F02p1", "b:F02p1", "c:F02p1")) {
			attempt(token);
		}
		release("w:W1", 0);
		assertThat(readers()).containsExactlyInAnyOrder("a:F02p1", "b:F02p1");
		attempt("dead:F02p3", 30_000, "T");
		template.opsForZSet().remove(KEYS.get(1), "c:F02p1", "#c:F02p1");
		attempt("d:F02p1");
		release("a:F02p1", 0);
		assertThat(readers()).containsExactlyInAnyOrder("b:F02p1", "d:F02p1");
		assertThat(queue()).isEmpty();
	}

	@Test
	void ifNoneOfThemReceivesAnythingTheLockIsFree() {
		attempt("w:W1");
		attempt("dead:F01p1", 30_000, "T");
		attempt("dead:F01p2", 30_000, "T");
		attempt("v:W1");
		release("w:W1", 0);
		assertThat(word()).startsWith("+v:W1|");
	}

	@Test
	void aDeadTicketWithASmallLimitDoesNotBlockALargerOne() {
		attempt("a:F03p1");
		attempt("dead:F01p1", 30_000, "T");
		assertThat(attempt("b:F03p1").kind()).isEqualTo(Reply.WAITING);
		assertThat(attempt("b:F03p1").kind()).as("attempts again").isEqualTo(Reply.GRANTED);
	}

	@Test
	void theFirstInTheQueueDoesNotAskItself() {
		attempt("a:F01p1");
		attempt("b:F01p1", 30_000, "T");
		long before = published();
		assertThat(attempt("b:F01p1", 30_000, "T").kind()).isEqualTo(Reply.WAITING);
		assertThat(published()).isEqualTo(before);
		assertThat(queue()).containsExactly("b:F01p1");
	}

	@Test
	void aServerWithoutMemoryLetsTicketsWithALimitEnterAndLeave() {
		attempt("w:W1");
		attempt("a:F01p1");
		attempt("b:F01p1");
		withoutMemory(() -> {
			assertThat(release("w:W1", 0).kind()).isEqualTo("ok");
			assertThat(readers()).containsExactly("a:F01p1");
			assertThat(release("a:F01p1", 0).kind()).isEqualTo("ok");
			assertThat(readers()).containsExactly("b:F01p1");
			assertThat(cancel("b:F01p1")).isEqualTo("ok");
			assertThat(attempt("c:F01p1").kind()).as("after a tombstone").isEqualTo(Reply.GRANTED);
		});
	}

}
