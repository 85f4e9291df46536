package io.github.distlock.contract;

import java.util.List;
import java.util.Objects;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.DirectCommands;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.junit.jupiter.api.Test;

import static io.github.distlock.contract.BackendNode.LEASE;
import static io.github.distlock.contract.BackendNode.granted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The commands of a store in the memory of the JVM for a lock that only one ticket needs:
 * each does what the verb does, or nothing.
 */
interface DirectContract extends ContractTests {

	private DirectCommands direct(BackendNode node) {
		DirectCommands commands = node.store.direct();
		assumeTrue(commands != null, () -> "The store '" + description().name() + "' has no direct commands");
		return Objects.requireNonNull(commands);
	}

	@Test
	default void tokensIncreaseAcrossDirectCommandsAndVerbs() {
		long last = 0;
		for (int i = 0; i < 16; i++) {
			BackendNode node = (i % 2 == 0) ? first() : second();
			DirectCommands direct = direct(node);
			Ticket ticket = node.ticket(key());
			Grant grant = (i % 4 < 2) ? Objects.requireNonNull(direct.attemptUnused(ticket, LEASE))
					: granted(node.attempt(ticket));
			assertThat(grant.firstToken()).isGreaterThan(last);
			assertThat(grant.lastToken() - grant.firstToken() + 1).isEqualTo(description().tokensPerGrant());
			last = grant.firstToken();
			boolean released = (i % 8 < 4) ? direct.releaseUnshared(ticket, last)
					: node.store.release(ticket, last, null).released();
			assertThat(released).isTrue();
		}
	}

	@Test
	default void aDirectGrantIsOneToTheVerbs() {
		DirectCommands direct = direct(first());
		Ticket ticket = first().ticket(key());
		Grant grant = Objects.requireNonNull(direct.attemptUnused(ticket, LEASE));
		assertThat(grant.validity().remainingNanos(TimeSource.SYSTEM)).isBetween(1L, LEASE.toNanos());
		assertThat(granted(first().attempt(ticket)).firstToken()).isEqualTo(grant.firstToken());
		assertThat(first().store.renew(List.of(new Renewal(ticket, grant.lastToken(), LEASE)))).singleElement()
			.isInstanceOf(RenewalResult.Extended.class);
		assertThat(second().attemptOnce(second().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
		assertThat(first().release(ticket)).isTrue();
		assertThat(direct.releaseUnshared(ticket, grant.firstToken())).as("released before").isFalse();
	}

	@Test
	default void aLockThatAnotherTicketNeedsIsNotGrantedDirectly() {
		DirectCommands direct = direct(second());
		Ticket holder = first().hold(key());
		assertThat(direct.attemptUnused(second().ticket(key()), LEASE)).as("held").isNull();
		Ticket waiter = first().ticket(key());
		first().attempt(waiter);
		assertThat(direct.attemptUnused(second().ticket(key()), LEASE)).as("held and waited for").isNull();
		assertThat(first().release(holder)).isTrue();
		first().awaitGrant(waiter);
		assertThat(first().release(waiter)).isTrue();
		// It did not wait.
		assertThat(first().attemptOnce(first().ticket(key()))).isInstanceOf(AttemptResult.Granted.class);
	}

	@Test
	default void aLockThatATicketWaitsForIsNotReleasedDirectly() {
		DirectCommands direct = direct(first());
		Ticket holder = first().ticket(key());
		Grant grant = Objects.requireNonNull(direct.attemptUnused(holder, LEASE));
		Ticket waiter = second().ticket(key());
		second().attempt(waiter);
		assertThat(direct.releaseUnshared(holder, grant.firstToken())).isFalse();
		assertThat(second().attempt(waiter)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(granted(first().attempt(holder)).firstToken()).isEqualTo(grant.firstToken());
		assertThat(first().release(holder)).isTrue();
		second().awaitGrant(waiter);
	}

	@Test
	default void aTicketThatDoesNotHoldReleasesNothingDirectly() {
		DirectCommands direct = direct(first());
		assertThat(direct.releaseUnshared(first().ticket(key()), 0)).as("free").isFalse();
		Ticket holder = second().hold(key());
		assertThat(direct.releaseUnshared(first().ticket(key()), 0)).as("held by another ticket").isFalse();
		assertThat(second().release(holder)).isTrue();
	}

	@Test
	default void theDirectCommandsOfAClosedStoreDoNothing() {
		BackendNode closed = stage().backend(TimeSource.SYSTEM);
		DirectCommands direct = direct(closed);
		Ticket holder = closed.ticket(key());
		assertThat(direct.attemptUnused(holder, LEASE)).isNotNull();
		closed.store.close();
		assertThat(direct.releaseUnshared(holder, 0)).isFalse();
		assertThat(first().attemptOnce(first().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
		String free = key() + "-free";
		assertThat(direct.attemptUnused(closed.ticket(free), LEASE)).isNull();
		assertThat(first().attemptOnce(first().ticket(free))).isInstanceOf(AttemptResult.Granted.class);
	}

}
