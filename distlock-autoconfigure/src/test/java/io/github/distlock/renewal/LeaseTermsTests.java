package io.github.distlock.renewal;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The terms for a holder that continues under another lease.
 */
class LeaseTermsTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration HELD = Duration.ofSeconds(10);

	private static final Duration MIN_HOLD = Duration.ofMinutes(1);

	@Test
	void theMinimumHoldTimeContinuesInTheStore() {
		LeaseTerms rest = new LeaseTerms(LEASE, LeaseTerms.lasting(MIN_HOLD), true, null, MIN_HOLD).after(HELD, LEASE);
		assertThat(rest.lease()).isEqualTo(LEASE);
		assertThat(rest.minHold()).isEqualTo(MIN_HOLD.minus(HELD));
		assertThat(rest.storeLease()).isEqualTo(LeaseTerms.lasting(MIN_HOLD.minus(HELD)));
	}

	@Test
	void onlyTheRemainingMinimumHoldTimeIsRequested() {
		LeaseTerms watched = new LeaseTerms(LEASE, LEASE.plusMillis(50), true, MIN_HOLD, HELD).after(HELD, LEASE);
		assertThat(watched).isEqualTo(new LeaseTerms(LEASE, LEASE, true, MIN_HOLD.minus(HELD), null));
		LeaseTerms explicit = new LeaseTerms(LEASE, LEASE.plusMillis(50), false, null, null).after(HELD, LEASE);
		Duration rest = LEASE.minus(HELD);
		assertThat(explicit).isEqualTo(new LeaseTerms(rest, LeaseTerms.lasting(rest), false, null, null));
	}

}
