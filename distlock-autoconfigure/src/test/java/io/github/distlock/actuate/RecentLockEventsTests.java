package io.github.distlock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

import io.github.distlock.HandOff;
import io.github.distlock.LockListener.Attempted;
import io.github.distlock.LockListener.Lost;
import io.github.distlock.LockListener.Released;
import io.github.distlock.LockListener.Waiting;
import io.github.distlock.LockOutcome;
import io.github.distlock.LossCause;
import io.github.distlock.actuate.LocksDescriptor.HotKeyDescriptor;
import io.github.distlock.testing.HeapHistogram;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The memory of recent events, and the ranking of keys by the time that callers have
 * waited for them.
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

	private static final int MANY = 100_000;

	/** Of all waits: just more than the hundredth that is certain to be kept. */
	private static final int HOT_WAITS = MANY / 80;

	private final HotKeys hotKeys = new HotKeys();

	@Test
	void itNamesTheHotKeyAmongAHundredThousand() {
		HeapHistogram before = HeapHistogram.take();
		for (int i = 0; i < MANY; i++) {
			waited("key-" + i, 1);
			if (i % (MANY / HOT_WAITS) == 0) {
				waited("hot", 1);
			}
		}
		List<HotKeyDescriptor> hottest = this.hotKeys.hottest("redis");
		assertThat(hottest).hasSize(HotKeys.CAPACITY);
		HotKeyDescriptor hot = hottest.get(0);
		assertThat(hot.key()).isEqualTo("hot");
		Duration all = Duration.ofMillis(MANY + HOT_WAITS);
		assertThat(hottest.stream().map(HotKeyDescriptor::waited).reduce(Duration.ZERO, Duration::plus)).isEqualTo(all);
		assertThat(hottest).allSatisfy((key) -> assertThat(key.error()).isLessThanOrEqualTo(all.dividedBy(100)));
		assertThat(hot.waited()).isBetween(Duration.ofMillis(HOT_WAITS),
				Duration.ofMillis(HOT_WAITS).plus(hot.error()));
		Map<String, Long> added = HeapHistogram.take().since(before, 1);
		LogFactory.getLog(RecentLockEventsTests.class).info("MEASURE the ranking of " + MANY + " keys takes " + added);
		assertThat(added.get(HotKeyDescriptor.class.getName())).isLessThan(HotKeys.CAPACITY * 64L);
	}

	@Test
	void aKeyHasItsWaitsTheirSumAndTheLongest() {
		waited("a", 5);
		waited("b", 3);
		waited("a", 2);
		this.hotKeys.onWaitingEnded(new Waiting("jdbc", "stock", "c", Duration.ofMillis(1)));
		assertThat(this.hotKeys.hottest("redis"))
			.extracting(HotKeyDescriptor::key, HotKeyDescriptor::name, HotKeyDescriptor::waits,
					HotKeyDescriptor::waited, HotKeyDescriptor::longest, HotKeyDescriptor::error)
			.containsExactly(tuple("a", "stock", 2L, Duration.ofMillis(7), Duration.ofMillis(5), Duration.ZERO),
					tuple("b", "stock", 1L, Duration.ofMillis(3), Duration.ofMillis(3), Duration.ZERO));
		assertThat(this.hotKeys.hottest("zookeeper")).isEmpty();
	}

	@Test
	void theHolderIsTheLockThatWasReleasedLast() {
		released("a", "report");
		waited("a", 5);
		assertThat(this.hotKeys.hottest("redis").get(0).holder()).isNull();
		released("a", "report");
		released("b", "other");
		waited("a", 5);
		assertThat(this.hotKeys.hottest("redis")).extracting(HotKeyDescriptor::holder, HotKeyDescriptor::waits)
			.containsExactly(tuple("report", 2L));
	}

	private void waited(String key, long millis) {
		this.hotKeys.onWaitingEnded(new Waiting("redis", "stock", key, Duration.ofMillis(millis)));
	}

	private void released(String key, String name) {
		this.hotKeys.onReleased(new Released("redis", name, key, 1, Duration.ZERO));
	}

}
