package io.github.distlock.backend.redis;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The scripts beside those of another format, which see the same lock and another queue.
 * The tickets of the other format are named {@code other}.
 */
class QueueFormatTests extends ScriptServer {

	private static final List<String> OTHER_KEYS = List.of(LOCK, "distlock:queue:{k}");

	@Test
	void theQueueOfTheFormerFormatIsNotRead() {
		template.opsForList().rightPush(OTHER_KEYS.get(1), "other:1|5000|1|T");
		attempt("a:1");
		assertThat(attempt("b:1").kind()).isEqualTo(Reply.WAITING);
		assertThat(release("a:1").kind()).isEqualTo("ok");
		assertThat(word()).startsWith("+b:1|");
		assertThat(template.opsForList().range(OTHER_KEYS.get(1), 0, -1)).containsExactly("other:1|5000|1|T");
	}

	@Test
	void aWaitingTicketIsGrantedTheLockAfterTheOtherFormatHasReleasedItUnseen() {
		attempt("other:1");
		assertThat(attempt("b:1").kind()).isEqualTo(Reply.WAITING);
		release("other:1");
		assertThat(word()).as("the other scripts see no waiting ticket").startsWith("|");
		assertThat(attempt("b:1").kind()).isEqualTo(Reply.GRANTED);
	}

	@Test
	void aTicketThatStillWaitsMarksTheLockThatWasGrantedUnseen() {
		attempt("other:1");
		attempt("b:1");
		release("other:1");
		attemptOnceTheClockHasPassedTheToken("c:1");
		assertThat(word()).startsWith("-c:1|");
		assertThat(attempt("b:1").kind()).isEqualTo(Reply.WAITING);
		release("c:1");
		assertThat(word()).startsWith("+b:1|");
	}

	@Test
	void theReleaseOfATicketWhosePlaceIsLeftOverGrantsTheLockToTheNextTicket() {
		attempt("other:1");
		attempt("b:1");
		release("other:1");
		attemptOnceTheClockHasPassedTheToken("b:1");
		assertThat(attempt("c:1").kind()).isEqualTo(Reply.WAITING);
		release("b:1");
		assertThat(word()).startsWith("+c:1|");
	}

	@Test
	void aReaderWhosePlaceIsLeftOverKeepsItsLockWhileAnotherTicketGivesUp() {
		attempt("other:1");
		assertThat(attemptToRead("b:FR1").kind()).isEqualTo(Reply.WAITING);
		release("other:1");
		awaitClock();
		Reply granted = attemptToRead("b:FR1");
		assertThat(granted.kind()).isEqualTo(Reply.GRANTED);
		assertThat(attempt("c:1").kind()).isEqualTo(Reply.WAITING);
		template.execute(Scripts.CANCEL, KEYS, "c:1");
		assertThat(template.execute(Scripts.READ_RENEW, List.of(KEYS.get(0), KEYS.get(2)), "b:FR1",
				Long.toString(granted.numbers()[0]), "30000"))
			.isEqualTo("1");
	}

	private static void awaitClock() {
		await().until(() -> System.currentTimeMillis() * 1000 > Long.parseLong(word().substring(1)));
	}

	private static Reply attemptToRead(String token) {
		return Reply.parse(template.execute(Scripts.ATTEMPT, KEYS, token, "30000", "S"));
	}

	private static void attemptOnceTheClockHasPassedTheToken(String token) {
		awaitClock();
		assertThat(attempt(token).kind()).isEqualTo(Reply.GRANTED);
	}

	private static Reply attempt(String token) {
		return ask(Scripts.ATTEMPT, token, "30000", "S1");
	}

	private static Reply release(String token) {
		String word = word();
		return ask(Scripts.RELEASE, token, word.substring(word.lastIndexOf('|') + 1));
	}

	private static Reply ask(RedisScript<String> script, String token, String... others) {
		List<String> keys = token.startsWith("other") ? OTHER_KEYS : KEYS.subList(0, 2);
		Object[] arguments = (others.length == 1) ? new Object[] { token, others[0] }
				: new Object[] { token, others[0], others[1] };
		return Reply.parse(template.execute(script, keys, arguments));
	}

}
