package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.NoSignals;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The local store: it forgets keys without timers, and its tokens increase even if the
 * clock stands still.
 */
class LocalStoreTests {

	private static final Duration LEASE = Duration.ofSeconds(2);

	private static final int TOKENS = 17;

	private final ManualClock clock = new ManualClock();

	private final LocalStore store = new LocalStore(this.clock);

	private final LockStore lockStore = new LocalLockBackend(this.store, TOKENS, this.clock)
		.open(new StoreContext(LockInstance.of("first"), new Signals()));

	private final List<Ticket> granted = new ArrayList<>();

	private int number;

	@Test
	void theStoreHasNoLockThatAStackOverflowCouldLeaveTaken() {
		assertThat(LocalStore.class.getDeclaredFields())
			.noneMatch((field) -> Lock.class.isAssignableFrom(field.getType()));
	}

	@Test
	void tokensIncreaseAlthoughTheClockStandsStillAndTheKeyIsForgotten() {
		long last = 0;
		for (int i = 0; i < 3; i++) {
			Ticket ticket = ticket();
			Grant grant = grant(ticket);
			assertThat(grant.firstToken()).isGreaterThan(last);
			last = grant.lastToken();
			Answers.of(this.lockStore.release(ticket, last, null));
			assertThat(this.store.locks).isEmpty();
		}
		Ticket expired = ticket();
		last = grant(expired).lastToken();
		this.clock.pass(LEASE);
		assertThat(grant(ticket()).firstToken()).isGreaterThan(last);
	}

	@Test
	void onlyUnusedTokensAreGrantedAgain() {
		Ticket first = ticket();
		Ticket second = ticket();
		long token = grant(first).firstToken();
		Answers.of(this.lockStore.release(first, token, null));
		assertThat(grant(second).firstToken()).isEqualTo(token + 1);
		Answers.of(this.lockStore.release(second, token + 4, null));
		assertThat(grant(ticket()).firstToken()).isEqualTo(token + 5);
	}

	@Test
	void aWaiterIsAttemptedAgainWhenTheFirstReaderMayHaveDied() {
		Ticket first = ticket(LockMode.READ);
		Ticket second = ticket(LockMode.READ);
		grant(first);
		this.clock.pass(LEASE.dividedBy(2));
		grant(second);
		Ticket writer = ticket();
		AttemptResult.Queued waiting = (AttemptResult.Queued) Answers.of(this.lockStore.attempt(writer, LEASE, true));
		assertThat(waiting.retryAfter()).isLessThan(LEASE);
		AttemptResult.Busy busy = (AttemptResult.Busy) Answers.of(this.lockStore.attempt(ticket(), LEASE, false));
		assertThat(busy.remaining()).isEqualTo(LEASE);
		Answers.of(this.lockStore.release(second, 0, null));
		this.clock.pass(waiting.retryAfter());
		assertThat(Answers.of(this.lockStore.attempt(writer, LEASE, true))).isInstanceOf(Grant.class);
	}

	@Test
	void theTicketsOfAClosedStoreNoLongerWaitAndItsVerbsFail() {
		LockStore other = new LocalLockBackend(this.store, TOKENS, this.clock)
			.open(new StoreContext(LockInstance.of("other"), new Signals()));
		Ticket holder = ticket();
		grant(holder);
		Ticket waiter = new Ticket("key", LockMode.EXCLUSIVE, "other", 1, false);
		Answers.of(other.attempt(waiter, LEASE, true));
		other.close();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(other::verify);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> Answers.of(other.attempt(waiter, LEASE, true)));
		Answers.of(this.lockStore.release(holder, 0, null));
		assertThat(this.granted).isEmpty();
		assertThat(this.store.locks).isEmpty();
	}

	private Ticket ticket() {
		return ticket(LockMode.EXCLUSIVE);
	}

	private Ticket ticket(LockMode mode) {
		return new Ticket("key", mode, "first", ++this.number, mode == LockMode.READ);
	}

	private Grant grant(Ticket ticket) {
		return ((Grant) Answers.of(this.lockStore.attempt(ticket, LEASE, true)));
	}

	private final class Signals extends NoSignals {

		@Override
		public void granted(Ticket ticket, Grant grant) {
			LocalStoreTests.this.granted.add(ticket);
		}

	}

}
