package io.github.distlock.actuate;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;

import io.github.distlock.HandOff;
import io.github.distlock.LockListener.Attempted;
import io.github.distlock.LockListener.Lost;
import io.github.distlock.LockOutcome;
import io.github.distlock.LossCause;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The memory of recent events.
 */
class RecentLockEventsTests {

	private final RecentLockEvents events = new RecentLockEvents(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));

	@Test
	void theLastHundredEventsAreKeptTheNewestFirst() {
		for (int i = 0; i < 150; i++) {
			this.events.onAttempted(attempt("key-" + i, LockOutcome.TIMEOUT));
		}
		assertThat(this.events.latest("redis")).hasSize(100)
			.extracting(LocksDescriptor.RecentDescriptor::key)
			.startsWith("key-149", "key-148")
			.endsWith("key-50");
	}

	@Test
	void onlyTimeOutsOfAttemptsAreKept() {
		for (LockOutcome outcome : LockOutcome.values()) {
			this.events.onAttempted(attempt(outcome.name(), outcome));
		}
		assertThat(this.events.latest("redis")).singleElement()
			.satisfies((event) -> assertThat(event.key()).isEqualTo("TIMEOUT"))
			.satisfies((event) -> assertThat(event.event()).isEqualTo("timeout"));
	}

	@Test
	void aLossSaysItsCauseAndNotTheReasonWhichCanNameHosts() {
		this.events.onLost(new Lost("redis", "Shop.sell", "order-7", 4, Duration.ofSeconds(3),
				"Redis at db1:6379 did not answer", LossCause.STORE_SILENT, false));
		assertThat(this.events.latest("redis")).singleElement().satisfies((event) -> {
			assertThat(event.detail()).startsWith("STORE_SILENT after PT3S: ").doesNotContain("db1");
			assertThat(event.at()).isEqualTo(Instant.EPOCH);
		});
		assertThat(this.events.latest("jdbc")).isEmpty();
	}

	private static Attempted attempt(String key, LockOutcome outcome) {
		return new Attempted("redis", "Shop.sell", key, outcome, Duration.ofSeconds(5), HandOff.NONE, 0);
	}

}
