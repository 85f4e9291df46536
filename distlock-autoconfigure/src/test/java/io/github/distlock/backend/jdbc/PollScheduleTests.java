package io.github.distlock.backend.jdbc;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcLeaseStore.PollSchedule;
import io.github.distlock.backend.jdbc.LockTable.LeaseRow;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a ticket that waits for a row attempts again.
 */
class PollScheduleTests {

	private static final Duration INTERVAL = Duration.ofMillis(100);

	private double random;

	private final PollSchedule schedule = new PollSchedule(INTERVAL.toNanos() / 1000, () -> this.random);

	@Test
	void aLockThatIsHeldForLongIsPolledOncePerIntervalWithJitter() {
		assertThat(held(Duration.ofSeconds(30), INTERVAL)).isEqualTo(Duration.ofMillis(75));
		this.random = 1;
		assertThat(held(Duration.ofSeconds(30), INTERVAL)).isEqualTo(INTERVAL);
	}

	@Test
	void aYoungGrantIsPolledAsOftenAsItIsOld() {
		assertThat(held(Duration.ofSeconds(30), Duration.ofMillis(40))).isEqualTo(Duration.ofMillis(30));
		assertThat(held(Duration.ofSeconds(30), Duration.ZERO)).isEqualTo(Duration.ofNanos(9_375_000));
	}

	@Test
	void withNotificationsAYoungGrantIsPolledOncePerInterval() {
		assertThat(this.schedule.retryAfter(row("owner", Duration.ofSeconds(30)), Duration.ZERO, false))
			.isEqualTo(Duration.ofMillis(75));
	}

	@Test
	void aLeaseThatEndsSoonIsPolledAtItsEnd() {
		assertThat(held(Duration.ofMillis(20), INTERVAL)).isEqualTo(Duration.ofMillis(21));
		assertThat(held(Duration.ZERO, INTERVAL)).isEqualTo(Duration.ofMillis(10));
	}

	@Test
	void aFreeLockIsLeftToOtherJvmsForMoreThanAnInterval() {
		assertThat(this.schedule.retryAfter(row("", Duration.ZERO), Duration.ZERO, true))
			.isEqualTo(Duration.ofMillis(110));
	}

	private Duration held(Duration remaining, Duration grantAge) {
		return this.schedule.retryAfter(row("owner", remaining), grantAge, true);
	}

	private static LeaseRow row(String owner, Duration remaining) {
		return new LeaseRow(owner, 1, remaining, 1, TimeSource.SYSTEM.now());
	}

}
