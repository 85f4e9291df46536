package io.github.distlock.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

import static io.github.distlock.contract.BackendNode.LEASE;
import static io.github.distlock.contract.BackendNode.granted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What a store tells operators, and how a grant is ended by hand. What a store does not
 * offer is skipped by name.
 */
interface InspectionContract extends ContractTests {

	/** A lock in a store may have been granted long before, by clocks that differ. */
	Duration CLOCKS_DIFFER = Duration.ofHours(1);

	private StoreInspection inspection(BackendNode node) {
		StoreInspection inspection = node.store.inspection();
		assumeTrue(inspection != null, () -> "The store '" + description().name() + "' offers no inspection");
		return Objects.requireNonNull(inspection);
	}

	/**
	 * Skips the test if the store cannot do this, for the reason that the store gives.
	 */
	private <T> T supported(Supplier<T> command) {
		try {
			return command.get();
		}
		catch (UnsupportedOperationException ex) {
			throw new TestAbortedException(ex.getMessage(), ex);
		}
	}

	private StoredLock inspect() {
		return supported(() -> inspection(second()).inspect(key()));
	}

	private StoredHolder onlyHolder() {
		List<StoredHolder> holders = inspect().holders();
		assertThat(holders).hasSize(1);
		return holders.get(0);
	}

	private EndResult end(long grantToken) {
		return supported(() -> inspection(second()).end(key(), grantToken));
	}

	@Test
	default void theStoreSaysWhereTheLocksAreAndThatItWorks() {
		assertThat(first().store.location()).isNotBlank();
		first().store.ping();
	}

	@Test
	default void aLockThatNoTicketHoldsHasNoHolders() {
		StoredLock free = inspect();
		assertThat(free.key()).isEqualTo(key());
		assertThat(free.holders()).isEmpty();
		assertThat(free.waiting()).isEmpty();
		first().release(first().hold(key()));
		assertThat(inspect().holders()).isEmpty();
	}

	@Test
	default void theHolderIsNamedWithItsGrant() {
		Ticket holder = first().ticket(key());
		Grant grant = granted(first().attempt(holder));
		StoredHolder held = onlyHolder();
		assertThat(held.instance()).isEqualTo(first().self.text());
		assertThat(held.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(held.grantToken()).isEqualTo(grant.firstToken());
		if (held.since() != null) {
			assertThat(held.since()).isBetween(Instant.now().minus(CLOCKS_DIFFER), Instant.now().plus(CLOCKS_DIFFER));
		}
		if (description().expires()) {
			assertThat(held.ttl()).isNotNull().isPositive().isLessThanOrEqualTo(LEASE);
		}
		else {
			assertThat(held.ttl()).isNull();
		}
	}

	@Test
	default void theWaitingTicketsAreNamedInTheirOrder() {
		assumeOrder();
		first().hold(key());
		second().attempt(second().ticket(key()));
		first().attempt(first().ticket(key()));
		assertThat(inspect().waiting()).extracting(StoredWaiter::instance)
			.containsExactly(second().self.text(), first().self.text());
		assertThat(inspect().waiting()).extracting(StoredWaiter::mode).containsOnly(LockMode.EXCLUSIVE);
		assertThat(onlyHolder().instance()).isEqualTo(first().self.text());
	}

	@Test
	default void allReadersAreNamedAndTheWriterThatWaits() {
		assumeReaders();
		Grant one = granted(first().attempt(first().ticket(key(), LockMode.READ)));
		Grant other = granted(second().attempt(second().ticket(key(), LockMode.READ)));
		first().attempt(first().ticket(key(), LockMode.WRITE));
		StoredLock lock = inspect();
		assertThat(lock.holders()).extracting(StoredHolder::mode).containsOnly(LockMode.READ);
		assertThat(lock.holders()).extracting(StoredHolder::instance)
			.containsExactlyInAnyOrder(first().self.text(), second().self.text());
		assertThat(lock.holders()).extracting(StoredHolder::grantToken)
			.containsExactlyInAnyOrder(one.firstToken(), other.firstToken());
		if (description().fair()) {
			assertThat(lock.waiting()).singleElement().extracting(StoredWaiter::mode).isEqualTo(LockMode.WRITE);
		}
	}

	@Test
	default void anAnswerThatALockIsHeldNamesTheHolderIfTheStoreKnowsIt() {
		Grant grant = granted(first().attempt(first().ticket(key())));
		AttemptResult busy = second().attemptOnce(second().ticket(key()));
		StoredHolder named = ((AttemptResult.Busy) busy).holder();
		assumeTrue(named != null, () -> "The store '" + description().name() + "' names no holder in its answers");
		assertThat(named.instance()).isEqualTo(first().self.text());
		assertThat(named.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(named.grantToken()).isIn(grant.firstToken(), 0L);
		Ticket waiter = second().ticket(key());
		// An attempt that meets what an earlier one has left at some nodes may know no
		// holder.
		AttemptResult queued = await().until(() -> second().attempt(waiter),
				(answer) -> ((AttemptResult.Queued) answer).holder() != null);
		assertThat(queued).asInstanceOf(InstanceOfAssertFactories.type(AttemptResult.Queued.class))
			.extracting((answer) -> Objects.requireNonNull(answer.holder()).instance())
			.isEqualTo(first().self.text());
	}

	@Test
	default void anAnswerThatReadersHoldNamesOneOfThem() {
		assumeReaders();
		Grant grant = granted(first().attempt(first().ticket(key(), LockMode.READ)));
		AttemptResult busy = second().attemptOnce(second().ticket(key(), LockMode.WRITE));
		StoredHolder named = ((AttemptResult.Busy) busy).holder();
		assumeTrue(named != null, () -> "The store '" + description().name() + "' names no holder in its answers");
		assertThat(named.instance()).isEqualTo(first().self.text());
		assertThat(named.mode()).isEqualTo(LockMode.READ);
		assertThat(named.grantToken()).isIn(grant.firstToken(), 0L);
	}

	@Test
	default void aWrongTokenEndsNothing() {
		Ticket holder = first().ticket(key());
		Grant grant = granted(first().attempt(holder));
		assertThat(end(grant.firstToken() - 1)).isEqualTo(EndResult.CHANGED);
		assertThat(end(grant.firstToken() + 1)).isEqualTo(EndResult.CHANGED);
		assertThat(second().attemptOnce(second().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
		assertThat(onlyHolder().grantToken()).isEqualTo(grant.firstToken());
		assertThat(first().renew(holder, grant.lastToken(), LEASE)).isInstanceOf(RenewalResult.Extended.class);
		assertThat(first().release(holder)).isTrue();
		assertThat(first().endedGrant(holder)).isNull();
	}

	@Test
	default void aGrantThatHasEndedCannotBeEnded() {
		Ticket holder = first().ticket(key());
		Grant grant = granted(first().attempt(holder));
		first().release(holder);
		assertThat(end(grant.firstToken())).isEqualTo(EndResult.NOT_HELD);
		Ticket next = first().hold(key());
		assertThat(end(grant.firstToken())).isEqualTo(EndResult.CHANGED);
		assertThat(first().release(next)).isTrue();
	}

	@Test
	default void theNextTicketEntersWithATokenHigherThanAllTokensOfTheGrantThatWasEnded() {
		Ticket holder = first().ticket(key());
		Grant grant = granted(first().attempt(holder));
		Ticket waiter = second().ticket(key());
		assertThat(second().attempt(waiter)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(end(onlyHolder().grantToken())).isEqualTo(EndResult.ENDED);
		if (description().fair()) {
			second().awaitSignal(waiter);
		}
		assertThat(second().awaitGrant(waiter).firstToken()).isGreaterThan(grant.lastToken());
		assertThat(first().release(holder)).isFalse();
		assertThat(second().release(waiter)).isTrue();
	}

	@Test
	default void theNextTokenIsHigherAlsoIfNoTicketWaits() {
		Ticket holder = first().ticket(key());
		Grant grant = granted(first().attempt(holder));
		assertThat(end(grant.firstToken())).isEqualTo(EndResult.ENDED);
		assertThat(end(grant.firstToken())).isEqualTo(EndResult.NOT_HELD);
		assertThat(inspect().holders()).isEmpty();
		assertThat(second().awaitGrant(second().ticket(key())).firstToken()).isGreaterThan(grant.lastToken());
	}

	@Test
	default void theFormerHolderFindsItsGrantGoneAndLearnsOfTheOperatorIfTheStoreTellsIt() {
		Ticket holder = first().ticket(key());
		Grant grant = granted(first().attempt(holder));
		assertThat(end(grant.firstToken())).isEqualTo(EndResult.ENDED);
		await().until(() -> Answers.of(first().store.renew(List.of(new Renewal(holder, grant.lastToken(), LEASE))))
			.get(0) instanceof RenewalResult.Gone);
		Long told = first().endedGrant(holder);
		assertThat(told).isIn(null, grant.firstToken());
		assertThat(second().endedGrant(holder)).isNull();
	}

	@Test
	default void ofSeveralReadersOnlyTheOneWithTheTokenIsEnded() {
		assumeReaders();
		Ticket ended = first().ticket(key(), LockMode.READ);
		Ticket other = first().ticket(key(), LockMode.READ);
		Grant grant = granted(first().attempt(ended));
		Grant kept = granted(first().attempt(other));
		assertThat(end(grant.firstToken())).isEqualTo(EndResult.ENDED);
		assertThat(end(grant.firstToken())).isEqualTo(EndResult.CHANGED);
		assertThat(onlyHolder().grantToken()).isEqualTo(kept.firstToken());
		assertThat(first().endedGrant(other)).isNull();
		Ticket writer = second().ticket(key(), LockMode.WRITE);
		assertThat(second().attempt(writer)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(first().release(ended)).isFalse();
		assertThat(end(kept.firstToken())).isEqualTo(EndResult.ENDED);
		assertThat(second().awaitGrant(writer).firstToken()).isGreaterThan(kept.lastToken());
	}

	@Test
	default void readersThatWaitEnterTogetherWhenTheGrantOfAWriterIsEnded() {
		assumeReaders();
		assumeOrder();
		Grant grant = granted(first().attempt(first().ticket(key(), LockMode.WRITE)));
		Ticket one = first().ticket(key(), LockMode.READ);
		Ticket other = second().ticket(key(), LockMode.READ);
		first().attempt(one);
		second().attempt(other);
		assertThat(end(grant.firstToken())).isEqualTo(EndResult.ENDED);
		assertThat(first().awaitGrant(one).firstToken()).isGreaterThan(grant.lastToken());
		assertThat(second().awaitGrant(other).firstToken()).isGreaterThan(grant.lastToken());
		assertThat(first().release(one)).isTrue();
		assertThat(second().release(other)).isTrue();
	}

}
