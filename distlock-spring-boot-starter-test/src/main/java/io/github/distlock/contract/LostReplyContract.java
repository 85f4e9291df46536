package io.github.distlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Lost replies: the store has executed a command, but the caller does not know. The
 * intended result is reached in the end, and no lock remains held.
 */
interface LostReplyContract extends ExclusionContract {

	@Test
	default void anAttemptWhoseReplyIsLostEndsAcquired() {
		one().backend().loseReplies(Verb.ATTEMPT, 2);
		try (HeldLock lock = one().acquire(key())) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(two().finds(key())).isFalse();
		}
		assertThat(one().backend().calls(Verb.ATTEMPT)).isEqualTo(3);
		two().acquire(key()).close();
	}

	@Test
	default void anAbandonedAttemptWhoseReplyIsLostIsUndone() {
		one().backend().loseReplies(Verb.ATTEMPT, 1);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> one().registry().tryAcquire(once()));
		awaitFree();
	}

	@Test
	default void anUndoWhoseReplyIsLostIsRepeated() {
		one().backend().loseReplies(Verb.ATTEMPT, 1);
		one().backend().loseRequests(Verb.CANCEL, 2);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> one().registry().tryAcquire(once()));
		awaitFree();
		assertThat(one().backend().calls(Verb.CANCEL)).isGreaterThan(2);
	}

	@Test
	default void aWaiterWhoseReplyIsLostEntersOnce() throws Exception {
		HeldLock held = two().acquire(key());
		one().backend().loseReplies(Verb.ATTEMPT, 2);
		Future<HeldLock> waiter = stage().inThread(() -> one().registry().acquire(patient()));
		await().until(() -> one().backend().calls(Verb.ATTEMPT) >= 3);
		held.close();
		stage().get(waiter).close();
		awaitFree();
	}

	@Test
	default void aReleaseWhoseReplyIsLostEndsReleased() {
		HeldLock lock = one().acquire(key());
		one().backend().loseReplies(Verb.RELEASE, 2);
		lock.close();
		awaitFree();
		assertThat(one().lost()).isEmpty();
	}

	@Test
	default void aReleaseThatIsLostIsRepeated() {
		HeldLock lock = one().acquire(key());
		one().backend().loseRequests(Verb.RELEASE, 2);
		lock.close();
		awaitFree();
	}

	@Test
	default void aReleaseThatQueuesTheNextOneMayLoseItsReply() throws Exception {
		HeldLock held = one().acquire(key());
		// Another lease, so the lock is not handed on inside the node.
		Future<HeldLock> next = waiter(one(), patient().leaseTime(Duration.ofSeconds(20)));
		one().backend().loseReplies(Verb.RELEASE, 1);
		held.close();
		stage().get(next).close();
		awaitFree();
	}

	@Test
	default void aWaiterThatGaveUpIsForgottenAlthoughTheReplyIsLost() {
		HeldLock held = two().acquire(key());
		one().backend().loseReplies(Verb.CANCEL, 1);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> one().registry().acquire(request().waitTime(Duration.ofMillis(200))));
		held.close();
		awaitFree();
	}

	@Test
	default void contendersWhoseRepliesGetLostStillExcludeEachOther() throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		Future<?> losses = stage().inThread(() -> {
			for (int i = 0; i < 20 && !over.get(); i++) {
				for (Verb verb : new Verb[] { Verb.ATTEMPT, Verb.RELEASE }) {
					int seen = one().backend().calls(verb);
					one().backend().loseReplies(verb, 1);
					await().until(() -> over.get() || one().backend().calls(verb) > seen);
				}
			}
			return true;
		});
		contend(List.of(one(), two()));
		over.set(true);
		stage().get(losses);
	}

}
