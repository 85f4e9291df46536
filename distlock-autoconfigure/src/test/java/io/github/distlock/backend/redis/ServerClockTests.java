package io.github.distlock.backend.redis;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.testing.ManualClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The validity of grants, computed from the server's time.
 */
class ServerClockTests {

	private static final long SERVER = 1_800_000_000_000_000L;

	private static final Duration TTL = Duration.ofSeconds(5);

	private final ManualClock time = new ManualClock();

	private final ServerClock clock = new ServerClock();

	@Test
	void withoutABaselineThereIsNoValidity() {
		assertThat(this.clock.judge(SERVER, TTL, this.time.now())).isNull();
		this.clock.observe(this.time.now(), SERVER);
		this.clock.forget();
		assertThat(this.clock.judge(SERVER, TTL, this.time.now())).isNull();
	}

	@Test
	void aGrantCountsFromTheTimeOfTheServer() {
		this.clock.observe(this.time.now(), SERVER);
		this.time.pass(Duration.ofSeconds(3));
		// Granted two seconds after the baseline, one second ago.
		Validity validity = this.clock.judge(SERVER + 2_000_000, TTL, this.time.now());
		assertThat(validity).isNotNull();
		assertThat(validity.remainingNanos(this.time)).isEqualTo(Duration.ofMillis(3950).toNanos());
		this.time.pass(Duration.ofSeconds(4));
		assertThat(validity.hasPassed(this.time)).isTrue();
	}

	@Test
	void aMessageThatWaitedInTheInboxHasPassed() {
		this.clock.observe(this.time.now(), SERVER);
		this.time.pass(Duration.ofSeconds(20));
		Validity validity = this.clock.judge(SERVER + 10_000_000, TTL, this.time.now());
		assertThat(validity).isNotNull();
		assertThat(validity.hasPassed(this.time)).isTrue();
	}

	@Test
	void aGrantInTheFutureHasNoValidity() {
		this.clock.observe(this.time.now(), SERVER);
		this.time.pass(Duration.ofSeconds(1));
		assertThat(this.clock.judge(SERVER + 1_500_000, TTL, this.time.now())).isNull();
	}

	@Test
	void aTimeThatNoClockOfAServerHasIsNotJudged() {
		this.clock.observe(this.time.now(), SERVER);
		this.time.pass(Duration.ofSeconds(1));
		// A thousand times 2 to the 61st is 0 in 64 bits.
		for (int i = -3; i <= 4; i++) {
			if (i != 0) {
				assertThat(this.clock.judge(SERVER + i * (1L << 61), TTL, this.time.now())).as("%s", i).isNull();
			}
		}
	}

	@Test
	void aSlowReplyMakesADeadlineEarlierAndNeverLater() {
		TimeSource.Instant sent = this.time.now();
		this.time.pass(Duration.ofMillis(700));
		// The command waited before it ran: the server's time is later than the send.
		this.clock.observe(sent, SERVER + 600_000);
		Validity slow = this.clock.judge(SERVER + 600_000, TTL, this.time.now());
		assertThat(slow).isNotNull();
		assertThat(slow.remainingNanos(this.time)).isEqualTo(Duration.ofMillis(4250).toNanos());
		// A faster reply is a tighter baseline and replaces it.
		this.clock.observe(this.time.now(), SERVER + 700_000);
		Validity quick = this.clock.judge(SERVER + 600_000, TTL, this.time.now());
		assertThat(quick).isNotNull();
		assertThat(quick.remainingNanos(this.time)).isEqualTo(Duration.ofMillis(4850).toNanos());
		// A slower one after it does not.
		TimeSource.Instant later = this.time.now();
		this.clock.observe(later, SERVER + 900_000);
		assertThat(this.clock.judge(SERVER + 600_000, TTL, this.time.now())).isEqualTo(quick);
	}

	@Test
	void aGrantFromBeforeASuspensionDoesNotCount() {
		this.clock.observe(this.time.now(), SERVER);
		this.time.pass(Duration.ofSeconds(1));
		this.time.suspend(Duration.ofMinutes(10));
		Validity validity = this.clock.judge(SERVER + 900_000, TTL, this.time.now());
		assertThat(validity).isNotNull();
		assertThat(validity.hasPassed(this.time)).isTrue();
	}

}
