package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.testing.ManualClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is particular to the local store: it forgets without timers, and its tokens rise
 * without a clock.
 */
class LocalStoreTests {

	private static final Duration LEASE = Duration.ofSeconds(2);

	private static final int TOKENS = 17;

	private final ManualClock clock = new ManualClock();

	private final LocalStore store = new LocalStore(this.clock);

	private final LockStore lockStore = new LocalLockBackend(this.store, TOKENS, this.clock)
		.open(new StoreContext("first", new Signals()));

	private final List<Ticket> granted = new ArrayList<>();

	private int number;

	@Test
	void tokensRiseAlthoughTheClockStandsStillAndTheKeyIsForgotten() {
		long last = 0;
		for (int i = 0; i < 3; i++) {
			Ticket ticket = ticket();
			Grant grant = grant(ticket);
			assertThat(grant.firstToken()).isGreaterThan(last);
			last = grant.lastToken();
			this.lockStore.release(ticket, last, null);
			assertThat(this.store.size()).isZero();
		}
		Ticket expired = ticket();
		last = grant(expired).lastToken();
		this.clock.pass(LEASE);
		assertThat(this.store.size()).isZero();
		assertThat(grant(ticket()).firstToken()).isGreaterThan(last);
	}

	@Test
	void tokensThatWereNotUsedAreGivenBackAndThoseUsedAreNot() {
		Ticket first = ticket();
		Ticket second = ticket();
		long token = grant(first).firstToken();
		this.lockStore.release(first, token, null);
		assertThat(grant(second).firstToken()).isEqualTo(token + 1);
		this.lockStore.release(second, token + 4, null);
		assertThat(grant(ticket()).firstToken()).isEqualTo(token + 5);
	}

	@Test
	void leasesThatHaveEndedAreForgottenWithoutATimer() {
		for (int i = 0; i < 1000; i++) {
			this.lockStore.attempt(new Ticket("key-" + i, LockMode.EXCLUSIVE, "first", i, false), LEASE, true);
		}
		assertThat(this.store.size()).isEqualTo(1000);
		this.clock.pass(LEASE);
		assertThat(this.store.size()).isZero();
	}

	@Test
	void aWaiterLooksAgainWhenTheLeaseOfTheHolderHasEnded() {
		grant(ticket());
		Ticket waiter = ticket();
		AttemptResult.Waiting waiting = (AttemptResult.Waiting) this.lockStore.attempt(waiter, LEASE, true);
		assertThat(waiting.lookAgain()).isBetween(LEASE, LEASE.plusMillis(1));
		this.clock.pass(waiting.lookAgain());
		assertThat(this.lockStore.attempt(waiter, LEASE, true)).isInstanceOf(AttemptResult.Granted.class);
	}

	@Test
	void aWaiterLooksAgainWhenTheFirstOfTheReadersMayHaveDied() {
		Ticket first = ticket(LockMode.READ);
		Ticket second = ticket(LockMode.READ);
		grant(first);
		this.clock.pass(LEASE.dividedBy(2));
		grant(second);
		Ticket writer = ticket();
		AttemptResult.Waiting waiting = (AttemptResult.Waiting) this.lockStore.attempt(writer, LEASE, true);
		assertThat(waiting.lookAgain()).isLessThan(LEASE);
		AttemptResult.Busy busy = (AttemptResult.Busy) this.lockStore.attempt(ticket(), LEASE, false);
		assertThat(busy.remaining()).isEqualTo(LEASE);
		this.lockStore.release(second, 0, null);
		this.clock.pass(waiting.lookAgain());
		assertThat(this.lockStore.attempt(writer, LEASE, true)).isInstanceOf(AttemptResult.Granted.class);
	}

	@Test
	void aClosedStoreNoLongerWaitsAndItsVerbsFail() {
		LockStore other = new LocalLockBackend(this.store, TOKENS, this.clock)
			.open(new StoreContext("other", new Signals()));
		Ticket holder = ticket();
		grant(holder);
		Ticket waiter = new Ticket("key", LockMode.EXCLUSIVE, "other", 1, false);
		other.attempt(waiter, LEASE, true);
		other.close();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(other::verify);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> other.attempt(waiter, LEASE, true));
		this.lockStore.release(holder, 0, null);
		assertThat(this.granted).isEmpty();
		assertThat(this.store.size()).isZero();
	}

	@Test
	void aWaiterThatCannotBeToldDoesNotHarmTheOneWhoReleases() {
		LockStore other = new LocalLockBackend(this.store, TOKENS, this.clock)
			.open(new StoreContext("other", new Signals() {

				@Override
				public void granted(Ticket ticket, Grant grant) {
					throw new IllegalStateException("full");
				}

			}));
		Ticket holder = ticket();
		grant(holder);
		Ticket waiter = new Ticket("key", LockMode.EXCLUSIVE, "other", 1, false);
		other.attempt(waiter, LEASE, true);
		assertThat(this.lockStore.release(holder, 0, null).released()).isTrue();
		assertThat(other.attempt(waiter, LEASE, true)).isInstanceOf(AttemptResult.Granted.class);
	}

	private Ticket ticket() {
		return ticket(LockMode.EXCLUSIVE);
	}

	private Ticket ticket(LockMode mode) {
		return new Ticket("key", mode, "first", ++this.number, mode == LockMode.READ);
	}

	private Grant grant(Ticket ticket) {
		return ((AttemptResult.Granted) this.lockStore.attempt(ticket, LEASE, true)).grant();
	}

	private class Signals implements LockSignals {

		@Override
		public void granted(Ticket ticket, Grant grant) {
			LocalStoreTests.this.granted.add(ticket);
		}

		@Override
		public void lookAgain(Ticket ticket) {
		}

		@Override
		public void lookAgainAll() {
		}

		@Override
		public void renewNow(Ticket ticket) {
		}

	}

}
