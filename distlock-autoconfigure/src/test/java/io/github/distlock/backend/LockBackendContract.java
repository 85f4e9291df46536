package io.github.distlock.backend;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.LockMode;
import io.github.distlock.backend.LockBackend.Renewal;
import io.github.distlock.backend.LockBackend.Successor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What every lock store must do, on a real server. A store's test class extends it and
 * says how to make the store.
 */
public abstract class LockBackendContract {

	protected static final Duration LEASE = Duration.ofSeconds(10);

	private static final Duration SHORT_LEASE = Duration.ofMillis(200);

	private final AtomicLong numbers = new AtomicLong();

	protected Node first;

	protected Node second;

	protected final String key = "contract-" + UUID.randomUUID();

	/** Make a store as one more JVM would. It is stopped by the contract. */
	protected abstract LockBackend newBackend();

	/** How many keys, rows or nodes the store has. */
	protected abstract long itemsInStore();

	/** How long the store may remember a lock that nobody holds or waits for. */
	protected abstract Duration memory();

	@BeforeEach
	void startNodes() {
		forgetEverything();
		this.first = new Node(newBackend());
		this.second = new Node(newBackend());
	}

	@AfterEach
	void stopNodes() {
		this.first.backend.stop();
		this.second.backend.stop();
	}

	@Test
	void aFreeLockIsGrantedToAnAttempt() {
		assertThat(this.first.attempt(this.first.ticket())).isInstanceOf(AttemptResult.Granted.class);
	}

	@Test
	void aHeldLockIsNotGrantedToAnotherTicket() {
		this.first.hold();
		assertThat(this.second.backend.attempt(this.second.ticket(), LEASE, false))
			.isInstanceOfSatisfying(AttemptResult.Busy.class, (busy) -> assertThat(busy.remaining()).isPositive());
		assertThat(this.second.attempt(this.second.ticket())).isInstanceOf(AttemptResult.Waiting.class);
	}

	@Test
	void anAttemptRepeatedWithTheTicketThatHoldsGivesTheSameTokenAgain() {
		Ticket ticket = this.first.ticket();
		Grant once = granted(this.first.attempt(ticket));
		Grant again = granted(this.first.attempt(ticket));
		assertThat(again.firstToken()).isEqualTo(once.firstToken());
		assertThat(again.lastToken()).isEqualTo(once.lastToken());
	}

	@Test
	void anAttemptRepeatedByAWaitingTicketQueuesItOnce() {
		Ticket holder = this.first.hold();
		Ticket waiter = this.second.ticket();
		Ticket later = this.first.ticket();
		this.second.attempt(waiter);
		this.second.attempt(waiter);
		this.first.attempt(later);
		this.first.backend.release(holder, 0, null);
		this.second.awaitGrant(waiter);
		this.second.backend.release(waiter, 0, null);
		// Had it been queued twice, it would own the lock again.
		this.first.awaitGrant(later);
	}

	@Test
	void aReleasedLockGoesToTheLongestWaitingTicketWhichIsSignalled() {
		Ticket holder = this.first.hold();
		Ticket waiter = this.second.ticket();
		this.second.attempt(waiter);
		this.first.attempt(this.first.ticket());
		ReleaseResult result = this.first.backend.release(holder, 0, null);
		assertThat(result.released()).isTrue();
		this.second.awaitGrant(waiter);
		assertThat(this.second.attempt(waiter)).isInstanceOf(AttemptResult.Granted.class);
	}

	@Test
	void releaseAnswersGoneForATicketThatDoesNotHoldAndChangesNothing() {
		Ticket holder = this.first.hold();
		ReleaseResult result = this.second.backend.release(this.second.ticket(), 0, null);
		assertThat(result.released()).isFalse();
		assertThat(this.first.attempt(holder)).isInstanceOf(AttemptResult.Granted.class);
		assertThat(this.first.backend.release(holder, 0, null).released()).isTrue();
		assertThat(this.first.backend.release(holder, 0, null).released()).isFalse();
	}

	@Test
	void aReleaseThatQueuesTheNextTicketAnswersWhatAnAttemptWould() {
		Ticket holder = this.first.hold();
		Ticket alone = this.first.ticket();
		ReleaseResult free = this.first.backend.release(holder, 0, new Successor(alone, LEASE));
		assertThat(free.next()).isInstanceOf(AttemptResult.Granted.class);
		Ticket waiter = this.second.ticket();
		this.second.attempt(waiter);
		Ticket behind = this.first.ticket();
		ReleaseResult contended = this.first.backend.release(alone, 0, new Successor(behind, LEASE));
		assertThat(contended.next()).isInstanceOf(AttemptResult.Waiting.class);
		this.second.awaitGrant(waiter);
		this.second.backend.release(waiter, 0, null);
		this.first.awaitGrant(behind);
	}

	@Test
	void aCancelledTicketIsNeverGrantedTheLock() {
		Ticket holder = this.first.hold();
		Ticket waiter = this.second.ticket();
		this.second.attempt(waiter);
		this.second.backend.cancel(waiter);
		this.first.backend.release(holder, 0, null);
		assertThat(this.first.backend.attempt(this.first.ticket(), LEASE, false))
			.isInstanceOf(AttemptResult.Granted.class);
		assertThat(this.second.grants).isEmpty();
	}

	@Test
	void aCancelledTicketThatWasGrantedMeanwhileIsReleased() {
		Ticket holder = this.first.hold();
		Ticket waiter = this.second.ticket();
		this.second.attempt(waiter);
		this.first.backend.release(holder, 0, null);
		this.second.backend.cancel(waiter);
		assertThat(this.first.backend.attempt(this.first.ticket(), LEASE, false))
			.isInstanceOf(AttemptResult.Granted.class);
	}

	@Test
	void aLeaseThatIsNotRenewedEnds() {
		this.first.backend.attempt(this.first.ticket(), SHORT_LEASE, true);
		await().atMost(Duration.ofSeconds(5))
			.until(() -> this.second.backend.attempt(this.second.ticket(), LEASE,
					false) instanceof AttemptResult.Granted);
	}

	@Test
	void aRenewedLeaseGoesOn() {
		Ticket holder = this.first.ticket();
		Grant grant = granted(this.first.backend.attempt(holder, SHORT_LEASE, true));
		List<RenewalResult> results = this.first.backend
			.renew(List.of(new Renewal(holder, grant.lastToken(), Duration.ofSeconds(30))));
		assertThat(results).singleElement()
			.isInstanceOfSatisfying(RenewalResult.Renewed.class,
					(renewed) -> assertThat(renewed.validity().remainingNanos(TimeSource.SYSTEM))
						.isGreaterThan(Duration.ofSeconds(20).toNanos()));
		assertThat(this.second.backend.attempt(this.second.ticket(), LEASE, false)).isInstanceOfSatisfying(
				AttemptResult.Busy.class, (busy) -> assertThat(busy.remaining()).isGreaterThan(Duration.ofSeconds(20)));
	}

	@Test
	void renewalOfATicketThatDoesNotHoldAnswersGone() {
		Ticket holder = this.first.ticket();
		Grant grant = granted(this.first.attempt(holder));
		Ticket other = this.second.ticket();
		assertThat(this.second.backend.renew(List.of(new Renewal(other, grant.lastToken(), LEASE))))
			.containsExactly(new RenewalResult.Gone());
		assertThat(this.first.backend.renew(List.of(new Renewal(holder, grant.lastToken() + 1, LEASE))))
			.containsExactly(new RenewalResult.Gone());
	}

	@Test
	void tokensStrictlyIncreaseFromHolderToHolder() {
		long last = 0;
		for (int i = 0; i < 50; i++) {
			Node node = (i % 2 == 0) ? this.first : this.second;
			Ticket ticket = node.ticket();
			Grant grant = granted(node.attempt(ticket));
			assertThat(grant.firstToken()).isGreaterThan(last);
			assertThat(grant.lastToken()).isGreaterThanOrEqualTo(grant.firstToken());
			last = grant.firstToken();
			node.backend.release(ticket, last, null);
		}
	}

	@Test
	void twoDifferentKeysNeverShareALock() {
		List<String> keys = List.of("{x}", "}x", "{}", "x", "a:queue", "a", "%7Bx%7D", "%", "a\nb", "a b",
				"\u0436\u4e2d\ud83d\ude00", "lock:{a}", "queue:{a}", "a|b", "A");
		for (String each : keys) {
			assertThat(this.first.backend.attempt(this.first.ticket(this.key + each), LEASE, true)).as(each)
				.isInstanceOf(AttemptResult.Granted.class);
		}
	}

	@Test
	void tokensStillIncreaseAfterTheKeyHasBeenForgotten() {
		Ticket ticket = this.first.ticket();
		Grant grant = granted(this.first.attempt(ticket));
		this.first.backend.release(ticket, grant.firstToken(), null);
		forgetEverything();
		assertThat(granted(this.second.attempt(this.second.ticket())).firstToken()).isGreaterThan(grant.lastToken());
	}

	/** Lose all data, as a restart without persistence does. */
	protected abstract void forgetEverything();

	@Test
	void nothingIsLeftInTheStoreWhenNobodyHoldsOrWaits() {
		Ticket holder = this.first.hold();
		Ticket waiter = this.second.ticket();
		this.second.attempt(waiter);
		Ticket cancelled = this.first.ticket();
		this.first.attempt(cancelled);
		this.first.backend.cancel(cancelled);
		this.first.backend.release(holder, 0, null);
		this.second.backend.release(waiter, 0, null);
		await().atMost(memory().plusSeconds(5)).until(() -> itemsInStore() == 0);
	}

	protected static Grant granted(AttemptResult result) {
		assertThat(result).isInstanceOf(AttemptResult.Granted.class);
		return ((AttemptResult.Granted) result).grant();
	}

	/**
	 * The store, as one JVM uses it.
	 */
	protected final class Node implements LockSignals {

		public final LockBackend backend;

		public final Queue<Ticket> grants = new ConcurrentLinkedQueue<>();

		private final String instance = UUID.randomUUID().toString();

		Node(LockBackend backend) {
			this.backend = backend;
			backend.start(this.instance, this);
			String probe = "ready-" + this.instance;
			Ticket holder = ticket(probe);
			backend.attempt(holder, LEASE, true);
			// Ready when a waiting ticket is signalled.
			await().until(() -> {
				Ticket waiter = ticket(probe);
				backend.attempt(waiter, LEASE, true);
				boolean queued = backend.release(holder, 0, null).released();
				backend.cancel(waiter);
				backend.attempt(holder, LEASE, true);
				return queued && !this.grants.isEmpty();
			});
			backend.cancel(holder);
			this.grants.clear();
		}

		public Ticket ticket() {
			return ticket(LockBackendContract.this.key);
		}

		public Ticket ticket(String name) {
			return new Ticket(name, LockMode.EXCLUSIVE, this.instance,
					LockBackendContract.this.numbers.incrementAndGet(), false);
		}

		public AttemptResult attempt(Ticket ticket) {
			return this.backend.attempt(ticket, LEASE, true);
		}

		public Ticket hold() {
			Ticket ticket = ticket();
			granted(attempt(ticket));
			return ticket;
		}

		public void awaitGrant(Ticket ticket) {
			await().atMost(Duration.ofSeconds(10)).until(() -> this.grants.contains(ticket));
		}

		@Override
		public void granted(Ticket ticket, Grant grant) {
			this.grants.add(ticket);
		}

		private Grant granted(AttemptResult result) {
			return LockBackendContract.granted(result);
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
