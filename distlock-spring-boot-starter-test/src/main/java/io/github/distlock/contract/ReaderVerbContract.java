package io.github.distlock.contract;

import java.util.List;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import org.junit.jupiter.api.Test;

import static io.github.distlock.contract.BackendNode.LEASE;
import static io.github.distlock.contract.BackendNode.granted;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Readers and writers, verb by verb, and each verb twice.
 */
interface ReaderVerbContract extends ContractTests {

	private Ticket reader(BackendNode node) {
		return node.ticket(key(), LockMode.READ);
	}

	private Ticket writer(BackendNode node) {
		return node.ticket(key(), LockMode.WRITE);
	}

	@Test
	default void eachReaderHasATokenAndALeaseOfItsOwn() {
		assumeReaders();
		Ticket one = reader(first());
		Ticket other = reader(first());
		Ticket third = reader(second());
		Grant granted = granted(first().attempt(one));
		long last = granted.lastToken();
		for (Ticket next : List.of(other, third)) {
			Grant grant = granted(((next == third) ? second() : first()).attempt(next));
			assertThat(grant.firstToken()).isGreaterThan(last);
			last = grant.lastToken();
		}
		assertThat(first().renew(one, granted.lastToken(), LEASE.multipliedBy(2)))
			.isInstanceOf(RenewalResult.Extended.class);
		assertThat(second().renew(one, last, LEASE)).isEqualTo(new RenewalResult.Gone(false));
		assertThat(first().release(one)).isTrue();
		assertThat(first().release(other)).isTrue();
		assertThat(second().attemptOnce(writer(second()))).isInstanceOf(AttemptResult.Busy.class);
		assertThat(second().release(third)).isTrue();
		assertThat(granted(second().attempt(writer(second()))).firstToken()).isGreaterThan(last);
	}

	@Test
	default void aRepeatedVerbOfAReaderIsHarmless() {
		assumeReaders();
		Ticket holder = reader(first());
		Ticket other = reader(second());
		Grant once = granted(first().attempt(holder));
		second().attempt(other);
		Grant again = granted(first().attempt(holder));
		assertThat(again.firstToken()).isEqualTo(once.firstToken());
		assertThat(again.lastToken()).isEqualTo(once.lastToken());
		assertThat(first().release(holder)).isTrue();
		assertThat(first().release(holder)).isFalse();
		Answers.of(first().store.cancel(holder));
		assertThat(first().renew(holder, once.lastToken(), LEASE)).isEqualTo(new RenewalResult.Gone(false));
		assertThat(first().attemptOnce(writer(first()))).isInstanceOf(AttemptResult.Busy.class);
		assertThat(second().attempt(other)).isInstanceOf(Grant.class);
		Answers.of(second().store.cancel(other));
		Answers.of(second().store.cancel(other));
		assertThat(first().attemptOnce(writer(first()))).isInstanceOf(Grant.class);
	}

	@Test
	default void waitingReadersAreSignalledTogetherWhenTheWriterBeforeThemGivesUp() {
		assumeReaders();
		assumeOrder();
		Ticket holder = first().attempted(key(), LockMode.READ);
		Ticket writer = writer(second());
		assertThat(second().attempt(writer)).isInstanceOf(AttemptResult.Queued.class);
		Ticket laterReader = reader(first());
		Ticket later = reader(second());
		assertThat(first().attempt(laterReader)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(second().attempt(later)).isInstanceOf(AttemptResult.Queued.class);
		Answers.of(second().store.cancel(writer));
		first().awaitSignal(laterReader);
		second().awaitSignal(later);
		first().awaitGrant(laterReader);
		second().awaitGrant(later);
		assertThat(first().release(holder)).isTrue();
	}

	@Test
	default void aReleaseGrantsReadersUpToTheFirstWriter() {
		assumeReaders();
		assumeOrder();
		Ticket holder = first().hold(key());
		Ticket early = reader(second());
		Ticket second = reader(first());
		Ticket writer = writer(second());
		Ticket laterReader = reader(first());
		second().attempt(early);
		first().attempt(second);
		second().attempt(writer);
		first().attempt(laterReader);
		assertThat(first().release(holder)).isTrue();
		second().awaitGrant(early);
		first().awaitGrant(second);
		assertThat(second().attempt(writer)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(first().attempt(laterReader)).isInstanceOf(AttemptResult.Queued.class);
		second().release(early);
		first().release(second);
		second().awaitGrant(writer);
		assertThat(first().attempt(laterReader)).isInstanceOf(AttemptResult.Queued.class);
		second().release(writer);
		first().awaitGrant(laterReader);
	}

}
