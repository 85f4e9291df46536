package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.distlock.testing.RespConnection;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Readers with limits in the scripts themselves, on a real server.
 */
class PermitScriptTests extends ReaderScripts {

	@Test
	void asManyHoldAsTheLimitSaysAndEachReleaseLetsTheNextIn() {
		long first = attempt("a:F02p1").numbers()[0];
		long second = attempt("b:F02p1").numbers()[0];
		assertThat(second).isGreaterThan(first);
		assertThat(attempt("c:F02p1", 30_000, "N").kind()).isEqualTo(Reply.BUSY);
		assertThat(attempt("c:F02p1").kind()).isEqualTo(Reply.WAITING);
		assertThat(attempt("d:F02p1").kind()).isEqualTo(Reply.WAITING);
		long before = published();
		assertThat(release("a:F02p1", first).kind()).isEqualTo("ok");
		assertThat(readers()).containsExactlyInAnyOrder("b:F02p1", "c:F02p1");
		assertThat(queue()).containsExactly("d:F02p1");
		assertThat(published() - before).isEqualTo(1);
		assertThat(release("a:F02p1", first).kind()).isEqualTo(Reply.GONE);
		assertThat(readers()).containsExactlyInAnyOrder("b:F02p1", "c:F02p1");
		assertThat(cancel("c:F02p1")).isEqualTo("ok");
		assertThat(readers()).containsExactlyInAnyOrder("b:F02p1", "d:F02p1");
		template.execute(Scripts.END, KEYS, Long.toString(second));
		release("d:F02p1", 0);
		assertThat(word()).startsWith("|");
		assertThat(queue()).isEmpty();
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
		long second = attempt("b:F02p1", 5_000, "S").numbers()[0];
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
	void anEndByAnOperatorLetsTheNextIn() {
		long first = attempt("a:F02p1").numbers()[0];
		attempt("b:F02p1");
		attempt("c:F02p1");
		assertThat(template.execute(Scripts.END, KEYS, Long.toString(first))).isEqualTo("ended");
		assertThat(readers()).containsExactlyInAnyOrder("b:F02p1", "c:F02p1");
	}

	@Test
	void theReleaseOfAWriterLetsInAsManyAsTheLimitSays() {
		attempt("w:W1");
		for (String token : List.of("a:F02p1", "b:F02p1", "c:F02p1", "v:W1")) {
			attempt(token);
		}
		long before = published();
		assertThat(release("w:W1", 0).kind()).isEqualTo("ok");
		assertThat(readers()).containsExactlyInAnyOrder("a:F02p1", "b:F02p1");
		assertThat(queue()).containsExactly("c:F02p1", "v:W1");
		assertThat(published() - before).isEqualTo(2);
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
	void eachTicketIsJudgedByItsOwnLimitAndASmallerOneBlocksThoseBehindIt() {
		for (String token : List.of("a:F03p1", "a:F03p2", "a:F03p3")) {
			assertThat(attempt(token).kind()).isEqualTo(Reply.GRANTED);
		}
		attempt("s:F02p1");
		attempt("l:F05p1");
		assertThat(attempt("l:F05p1").kind()).as("attempts again").isEqualTo(Reply.WAITING);
		release("a:F03p1", 0);
		assertThat(queue()).containsExactly("s:F02p1", "l:F05p1");
		release("a:F03p2", 0);
		assertThat(readers()).containsExactlyInAnyOrder("a:F03p3", "s:F02p1", "l:F05p1");
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
	void aReaderWithoutALimitTakesAPlaceAndEntersAboveTheLimit() {
		attempt("a:F02p1");
		attempt("r:FR1");
		assertThat(attempt("b:F02p1", 30_000, "N").kind()).isEqualTo(Reply.BUSY);
		assertThat(attempt("r:FR2").kind()).isEqualTo(Reply.GRANTED);
	}

	@Test
	void aLeaseThatHasEndedDoesNotCountAndTheShortestOneIsNamed() {
		assertThat(attempt("dead:F02p1", 20_000, "S").kind()).isEqualTo(Reply.GRANTED);
		attempt("a:F02p1", 60_000, "S");
		// The one that was alone may keep its place 2 ms longer: share() in readers.lua.
		assertThat(attempt("b:F02p1").numbers()[1]).as("when to attempt again").isBetween(1L, 20_002L);
		assertThat(attempt("c:F02p1", 30_000, "N").numbers()[0]).as("busy").isBetween(1L, 20_002L);
		assertThat(attempt("x:1", 30_000, "N").numbers()[0]).as("busy for all").isBetween(20_003L, 60_000L);
		template.opsForZSet().add(READERS, "dead:F02p1", System.currentTimeMillis() - 1);
		assertThat(attempt("c:F02p1", 30_000, "N").kind()).as("behind the one that waits").isEqualTo(Reply.BUSY);
		assertThat(readers()).containsExactlyInAnyOrder("a:F02p1", "b:F02p1");
	}

	@Test
	void moreThanOnePortionEnters() {
		attempt("w:W1");
		IntStream.range(0, 70).forEach((i) -> attempt("a:F060p" + i));
		Reply reply = release("w:W1", 0);
		assertThat(reply.admitsMore()).isTrue();
		assertThat(readers()).hasSize(50);
		assertThat(template.execute(Scripts.ADMIT, KEYS)).isEqualTo("ok");
		assertThat(readers()).hasSize(60);
		assertThat(queue()).hasSize(10);
	}

	@Test
	void aGrantOfTheWholeLockByAnEarlierVersionIsRenewedAndReleased() {
		for (boolean cancelled : List.of(false, true)) {
			forget();
			long first = attempt("x:1").numbers()[0] + 1000;
			attempt("a:F02p1");
			attempt("b:F02p1");
			// As release.lua of an earlier version does it.
			template.opsForZSet().remove(KEYS.get(1), "a:F02p1", "#a:F02p1");
			template.opsForValue().set(LOCK, "+a:F02p1|1|" + first);
			template.expire(LOCK, Duration.ofSeconds(5));
			template.opsForZSet().add(KEYS.get(1), "!a", 0);
			assertThat(attempt("a:F02p1").numbers()[0]).isEqualTo(first);
			assertThat(renew("a:F02p1", first - 1, 60_000)).isZero();
			assertThat(renew("b:F02p1", first, 60_000)).isZero();
			assertThat(ttl()).isLessThanOrEqualTo(5000);
			assertThat(renew("a:F02p1", first, 60_000)).isOne();
			assertThat(ttl()).isGreaterThan(50_000);
			if (cancelled) {
				assertThat(cancel("a:F02p1")).isEqualTo("ok");
			}
			else {
				assertThat(release("a:F02p1", first).kind()).isEqualTo("ok");
			}
			assertThat(word()).startsWith("~");
			assertThat(readers()).containsExactly("b:F02p1");
			assertThat(queue()).isEmpty();
		}
	}

	@Test
	void aGrantOfTheWholeLockByAnEarlierVersionIsSharedWhenTheNextOneAttempts() {
		long first = attempt("a:F02p1").numbers()[0];
		template.opsForValue().set(LOCK, "+a:F02p1|1|" + first, Duration.ofSeconds(5));
		queueKey().add("b:F02p1", 5000, 1, true);
		queueKey().add("c:F02p1", 5000, 1, true);
		assertThat(attempt("b:F02p1").kind()).isEqualTo(Reply.GRANTED);
		assertThat(readers()).containsExactly("a:F02p1", "b:F02p1");
		assertThat(queue()).containsExactly("c:F02p1");
	}

	@Test
	void aServerWithoutMemoryLetsTicketsWithALimitEnterAndLeave() {
		attempt("w:W1");
		attempt("a:F01p1");
		attempt("b:F01p1");
		maxMemory("1");
		try {
			assertThat(release("w:W1", 0).kind()).isEqualTo("ok");
			assertThat(readers()).containsExactly("a:F01p1");
			assertThat(release("a:F01p1", 0).kind()).isEqualTo("ok");
			assertThat(readers()).containsExactly("b:F01p1");
			assertThat(cancel("b:F01p1")).isEqualTo("ok");
			assertThat(attempt("c:F01p1").kind()).as("after a tombstone").isEqualTo(Reply.GRANTED);
		}
		finally {
			maxMemory("0");
		}
	}

}
