package io.github.distlock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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

	private Instant now = Instant.EPOCH;

	private final InstantSource clock = () -> this.now;

	private final RecentLockEvents events = new RecentLockEvents(this.clock.withZone(ZoneOffset.UTC));

	@Test
	void theLastHundredEventsOfAKindAreKeptTheNewestFirst() {
		this.events.onLost(loss(4, LossCause.STORE_SILENT));
		this.now = this.now.plusSeconds(1);
		for (int i = 0; i < 150; i++) {
			this.events.onAttempted(attempt("key-" + i, LockOutcome.TIMEOUT));
		}
		assertThat(this.events.latest("redis")).hasSize(101)
			.extracting(LocksDescriptor.RecentDescriptor::key)
			.startsWith("key-149", "key-148")
			.endsWith("key-50", "order-7");
	}

	@Test
	void eachLossOfTheLastTenMinutesIsCountedAndThoseThatAnOperatorHasEndedApart() {
		for (int i = 0; i < 4176; i++) {
			this.now = this.now.plusMillis(10);
			this.events.onLost(loss(i, LossCause.STORE_SILENT));
		}
		this.events.onLost(loss(5000, LossCause.RELEASED_BY_OPERATOR));
		assertThat(this.events.lost("redis", false)).isEqualTo(4176);
		assertThat(this.events.lost("redis", true)).isOne();
		assertThat(this.events.lost("jdbc", false)).isZero();
		this.now = this.now.plusSeconds(590);
		assertThat(this.events.lost("redis", false)).isBetween(1000, 1300);
		this.now = this.now.plusSeconds(11);
		assertThat(this.events.lost("redis", false)).isZero();
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
		this.events.onLost(loss(4, LossCause.STORE_SILENT));
		assertThat(this.events.latest("redis")).singleElement().satisfies((event) -> {
			assertThat(event.detail()).startsWith("STORE_SILENT after PT3.56S: ").doesNotContain("db1");
			assertThat(event.lossCause()).isEqualTo(LossCause.STORE_SILENT);
			assertThat(event.fencingToken()).isEqualTo(4);
			assertThat(event.at()).isEqualTo(Instant.EPOCH);
		});
		assertThat(this.events.latest("jdbc")).isEmpty();
	}

	private static Lost loss(long token, LossCause cause) {
		return new Lost("redis", "Shop.sell", "order-7", token, Duration.ofNanos(3_559_881_367L),
				"Redis at db1:6379 did not answer", cause, false);
	}

	private static Attempted attempt(String key, LockOutcome outcome) {
		return new Attempted("redis", "Shop.sell", key, outcome, Duration.ofSeconds(5), HandOff.NONE, 0);
	}

}
