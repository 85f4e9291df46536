package io.github.distlock.backend;

import java.util.Set;
import java.util.TreeSet;

import io.github.distlock.LockMode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TicketTests {

	/** The letters f, r and w are digits, too. */
	private static final long[] NUMBERS = { 0, 1, 15, 27, 32, 35, 36, 1_000_000_007L, Long.MAX_VALUE };

	@Test
	void theNameOfATicketWithPermitsHasTheirNumber() {
		Ticket ticket = new Ticket("key", LockMode.READ, "me", 35, true, 5);
		assertThat(ticket.token()).isEqualTo("me:F05pz");
		assertThat(Ticket.of("key", "me:F05pz")).isEqualTo(ticket)
			.isNotEqualTo(new Ticket("key", LockMode.READ, "me", 35, true, 6))
			.isNotEqualTo(new Ticket("key", LockMode.READ, "me", 35, true));
		Ticket most = new Ticket("key", LockMode.READ, "a@h:1:p", Long.parseLong("zzzzzzz", 36), true, 10_000);
		assertThat(Ticket.of("key", most.token())).isEqualTo(most);
	}

	@Test
	void aTicketMayJoinFewerReadersThanItsPermits() {
		Ticket permit = new Ticket("key", LockMode.READ, "me", 35, true, 2);
		assertThat(permit.mayJoin(1)).isTrue();
		assertThat(permit.mayJoin(2)).isFalse();
		assertThat(new Ticket("key", LockMode.READ, "me", 35, true).mayJoin(99)).isTrue();
		assertThat(new Ticket("key", LockMode.WRITE, "me", 35, true).mayJoin(1)).isFalse();
	}

	@Test
	void everyTicketHasAUniqueNameFromWhichItCanBeRead() {
		Set<String> names = new TreeSet<>();
		for (LockMode mode : LockMode.values()) {
			for (boolean fair : new boolean[] { false, true }) {
				for (long number : NUMBERS) {
					Ticket ticket = new Ticket("key", mode, "RW-F_1", number, fair);
					assertThat(Ticket.of("key", ticket.token())).isEqualTo(ticket);
					names.add(ticket.token());
				}
			}
		}
		assertThat(names).hasSize(LockMode.values().length * 2 * NUMBERS.length);
	}

	@Test
	void aReaderIsKnownByItsName() {
		assertThat(new Ticket("key", LockMode.READ, "me", 35, true).token()).isEqualTo("me:FRz");
		assertThat(new Ticket("key", LockMode.EXCLUSIVE, "me", 35, false).token()).isEqualTo("me:z");
	}

	@Test
	void aNameThatIsNoTicketIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> Ticket.of("key", "me"));
		assertThatIllegalArgumentException().isThrownBy(() -> Ticket.of("key", "me:X1"));
		assertThatIllegalArgumentException().isThrownBy(() -> Ticket.of("key", "me:FR"));
	}

	@Test
	void ticketsAreEqualIfAllTheirPartsAre() {
		Ticket ticket = new Ticket("key", LockMode.WRITE, "me", 35, false);
		assertThat(ticket).isEqualTo(new Ticket("key", LockMode.WRITE, "me", 35, false))
			.hasSameHashCodeAs(new Ticket("key", LockMode.WRITE, "me", 35, false))
			.isNotEqualTo(new Ticket("other", LockMode.WRITE, "me", 35, false))
			.isNotEqualTo(new Ticket("key", LockMode.EXCLUSIVE, "me", 35, false))
			.isNotEqualTo(new Ticket("key", LockMode.WRITE, "you", 35, false))
			.isNotEqualTo(new Ticket("key", LockMode.WRITE, "me", 36, false))
			.isNotEqualTo(new Ticket("key", LockMode.WRITE, "me", 35, true))
			.isNotEqualTo("me:Wz");
	}

}
