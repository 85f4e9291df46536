package io.github.distlock.contract;

import java.util.List;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys are compared by their UTF-8 bytes: keys that are equal to a database's collation,
 * a file system or a path are different locks.
 */
interface KeyContract extends ContractTests {

	/** All are different, though many are equal to some store. */
	List<String> KEYS = List.of("a", "A", "\u00e4", "a\u0308", "\u00c4", "\u00e5", "\u212b", "\u00df", "ss", "\u1e9e",
			"i", "I", "\u0131", "\u0130", "a ", " a", "a  ", "a\u00a0", "a\u200b", "a b", "/", "a/", "a//", "/a", "a/b",
			"a%2Fb", ".", "..", "a/../b", "%", "%%", "%25", "_", "\\", "\\\\", "'", "''", "\"", "{}", "{x}", "}x", "x",
			"{a}:queue", "a:queue", "a|b", "a,b", "a*", "a?", "[a]", "\u0436", "\u4e2d", "\ud83d\ude00", "\ud83d\ude01",
			"\uff21", "\u03c3", "\u03c2", "null", "0", "00", "lock-0000000001");

	@Test
	default void keysThatDifferInAByteAreDifferentLocks() {
		for (String each : KEYS) {
			assertThat(first().attemptOnce(first().ticket(each))).as("'%s'", each).isInstanceOf(Grant.class);
		}
		// They were granted because they are different, not because no lock is held.
		for (String each : KEYS) {
			assertThat(second().attemptOnce(second().ticket(each))).as("'%s'", each)
				.isInstanceOf(AttemptResult.Busy.class);
		}
	}

	@Test
	default void longKeysThatDifferAtTheEndOnlyAreDifferentLocks() {
		String most = "\u4e2d".repeat(166) + "/{x}-";
		Ticket holder = first().hold(most + "a");
		assertThat(second().attemptOnce(second().ticket(most + "a"))).isInstanceOf(AttemptResult.Busy.class);
		assertThat(second().attemptOnce(second().ticket(most + "b"))).isInstanceOf(Grant.class);
		assertThat(second().attemptOnce(second().ticket(most))).isInstanceOf(Grant.class);
		assertThat(first().release(holder)).isTrue();
	}

	@Test
	default void waitersOfSimilarKeysAreGrantedTheirOwn() {
		Ticket holder = first().hold("a/%{}");
		Ticket other = first().hold("A/%{}");
		Ticket waiter = second().ticket("a/%{}");
		Ticket otherWaiter = second().ticket("A/%{}");
		second().attempt(waiter);
		second().attempt(otherWaiter);
		first().release(other);
		second().awaitGrant(otherWaiter);
		assertThat(second().wasGranted(waiter)).isFalse();
		assertThat(second().attempt(waiter)).isInstanceOf(AttemptResult.Queued.class);
		first().release(holder);
		second().awaitGrant(waiter);
	}

}
