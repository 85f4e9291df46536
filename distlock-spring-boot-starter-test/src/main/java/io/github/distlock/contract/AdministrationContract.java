package io.github.distlock.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.StoreAdministration.EndResult;
import io.github.distlock.backend.StoreAdministration.SweepResult;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.UnsupportedStoreOperationException;
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
interface AdministrationContract extends ContractTests {

	/** A lock in a store may have been granted long before, by clocks that differ. */
	Duration CLOCKS_DIFFER = Duration.ofHours(1);

	private StoreAdministration administration(BackendNode node) {
		StoreAdministration administration = node.store.administration();
		assumeTrue(!administration.getClass().getSimpleName().equals("UnknownStoreAdministration"),
				() -> "The store '" + description().name() + "' has no administration");
		return administration;
	}

	/**
	 * Skips the test if the store cannot do this, for the reason that the store gives.
	 */
	private <T> T supported(Callable<T> command) {
		try {
			return command.call();
		}
		catch (UnsupportedStoreOperationException ex) {
			throw new TestAbortedException(ex.getMessage(), ex);
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	private StoredLock inspect() {
		return supported(() -> administration(second()).inspect(key()));
	}

	private StoredHolder onlyHolder() {
		List<StoredHolder> holders = inspect().holders();
		assertThat(holders).hasSize(1);
		return holders.get(0);
	}

	private EndResult end(long grantToken) {
		return supported(() -> administration(second()).end(key(), grantToken));
	}

	private List<InstanceEntry> entriesOf(BackendNode node) {
		return administration(second()).instances()
			.stream()
			.filter((entry) -> entry.instance().id().equals(node.self.id()))
			.toList();
	}

	@Test
	default void theAdministrationSaysWhereTheLocksAre() {
		StoreAdministration administration = administration(first());
		assertThat(administration.location()).isNotBlank();
		administration.ping();
	}

	@Test
	default void theEntryOfAnInstanceIsWrittenRefreshedAndRemoved() {
		StoreAdministration administration = administration(first());
		assumeTrue(supported(() -> {
			administration.announce();
			return !entriesOf(first()).isEmpty();
		}), () -> "The store '" + description().name() + "' keeps no entries");
		assertThat(entriesOf(first())).singleElement()
			.satisfies((entry) -> assertThat(entry.instance()).isEqualTo(first().self));
		Instant seen = entriesOf(first()).get(0).seen();
		assertThat(seen).isBetween(Instant.now().minus(CLOCKS_DIFFER), Instant.now().plus(CLOCKS_DIFFER));
		await().until(() -> {
			administration.announce();
			return entriesOf(first()).get(0).seen().isAfter(seen);
		});
		assertThat(entriesOf(first())).hasSize(1);
		administration.withdraw();
		assertThat(entriesOf(first())).isEmpty();
		administration.withdraw();
		assertThat(entriesOf(first())).isEmpty();
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
		assertThat(held.instance()).isEqualTo(first().self.id());
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
			.containsExactly(second().self.id(), first().self.id());
		assertThat(inspect().waiting()).extracting(StoredWaiter::mode).containsOnly(LockMode.EXCLUSIVE);
		assertThat(onlyHolder().instance()).isEqualTo(first().self.id());
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
			.containsExactlyInAnyOrder(first().self.id(), second().self.id());
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
		assertThat(named.instance()).isEqualTo(first().self.id());
		assertThat(named.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(named.grantToken()).isIn(grant.firstToken(), 0L);
		Ticket waiter = second().ticket(key());
		// An attempt that meets what an earlier one has left at some nodes may know no
		// holder.
		AttemptResult queued = await().until(() -> second().attempt(waiter),
				(answer) -> ((AttemptResult.Queued) answer).holder() != null);
		assertThat(queued).asInstanceOf(InstanceOfAssertFactories.type(AttemptResult.Queued.class))
			.extracting((answer) -> Objects.requireNonNull(answer.holder()).instance())
			.isEqualTo(first().self.id());
	}

	@Test
	default void anAnswerThatReadersHoldNamesOneOfThem() {
		assumeReaders();
		Grant grant = granted(first().attempt(first().ticket(key(), LockMode.READ)));
		AttemptResult busy = second().attemptOnce(second().ticket(key(), LockMode.WRITE));
		StoredHolder named = ((AttemptResult.Busy) busy).holder();
		assumeTrue(named != null, () -> "The store '" + description().name() + "' names no holder in its answers");
		assertThat(named.instance()).isEqualTo(first().self.id());
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
		assertThat(first().store.renew(List.of(new Renewal(holder, grant.lastToken(), LEASE)))).singleElement()
			.isInstanceOf(RenewalResult.Extended.class);
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
	default void theFormerHolderIsToldThatItsGrantWasEnded() {
		Ticket holder = first().ticket(key());
		Grant grant = granted(first().attempt(holder));
		assertThat(end(grant.firstToken())).isEqualTo(EndResult.ENDED);
		await().until(() -> {
			// Some stores can say it only now.
			assertThat(first().store.renew(List.of(new Renewal(holder, grant.lastToken(), LEASE)))).singleElement()
				.isInstanceOf(RenewalResult.Gone.class);
			return first().endedGrant(holder) != null;
		});
		assertThat(first().endedGrant(holder)).isEqualTo(grant.firstToken());
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
		await().until(() -> first().endedGrant(ended) != null);
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

	@Test
	default void theLocksOfADeadInstanceAreReleased() {
		BackendNode dead = stage().backend(TimeSource.SYSTEM);
		Grant grant = granted(dead.attempt(dead.ticket(key())));
		Ticket kept = first().hold(key() + "-kept");
		dead.store.close();
		StoreAdministration administration = administration(second());
		int[] released = new int[1];
		await().until(() -> {
			SweepResult result = supported(() -> administration.endAll(dead.self.id()));
			released[0] += result.released();
			return !result.alive() && result.complete();
		});
		if (description().expires()) {
			assertThat(released[0]).isEqualTo(1);
		}
		Grant next = second().awaitGrant(second().ticket(key()));
		assertThat(next.firstToken()).isGreaterThan(grant.lastToken());
		assertThat(first().release(kept)).isTrue();
	}

	@Test
	default void theLocksOfALiveInstanceAreKept() {
		administration(first()).announce();
		Ticket holder = first().hold(key());
		SweepResult result = supported(() -> administration(second()).endAll(first().self.id()));
		assertThat(result).isEqualTo(SweepResult.ALIVE);
		assertThat(first().release(holder)).isTrue();
	}

}
