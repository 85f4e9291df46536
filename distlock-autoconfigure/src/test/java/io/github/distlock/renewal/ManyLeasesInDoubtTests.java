package io.github.distlock.renewal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The cost when the session of very many leases is in doubt.
 */
class ManyLeasesInDoubtTests extends RenewalFixture {

	private static final int LEASES = 1000;

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final AtomicInteger looks = new AtomicInteger();

	@Test
	void theLeasesOfASessionInDoubtAreFoundInOnePass() {
		List<Ticket> tickets = new ArrayList<>();
		for (int i = 0; i < LEASES; i++) {
			tickets.add(watch(i));
		}
		watch(LEASES);
		this.looks.set(0);
		this.renewer.renewNow(tickets);
		assertThat(this.looks).hasValueLessThanOrEqualTo(2 * LEASES);
		this.timers.pass(Duration.ofMillis(10));
		// Except the lease whose session is not in doubt.
		assertThat(this.store.batches.stream().mapToInt(List::size).sum()).isEqualTo(LEASES);
	}

	private Ticket watch(int number) {
		LeaseTerms terms = new LeaseTerms(LEASE, LEASE, false, null, null);
		return watch(new TestLease("k" + number, null, Validity.session(() -> Long.MAX_VALUE), terms) {

			@Override
			protected Ticket ticket() {
				ManyLeasesInDoubtTests.this.looks.incrementAndGet();
				return super.ticket();
			}

		}).ticket();
	}

}
