package io.github.distlock.metrics;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.HandOff;
import io.github.distlock.LockListener.Attempted;
import io.github.distlock.LockListener.Lost;
import io.github.distlock.LockListener.Released;
import io.github.distlock.LockListener.Renewed;
import io.github.distlock.LockListener.Resubscribed;
import io.github.distlock.LockListener.Waiting;
import io.github.distlock.LockOutcome;
import io.github.distlock.LossCause;
import io.github.distlock.registry.RegistrySnapshot.HoldSummary;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How each event changes the meters.
 */
class LockMetricsTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LockMetrics metrics = new LockMetrics(this.registry);

	@Test
	void metersOfAKnownStoreExistBeforeTheFirstEvent() {
		this.metrics.watchHolds("redis", () -> new HoldSummary(Map.of(), 0));
		assertThat(gauge("distlock.held")).isZero();
		assertThat(gauge("distlock.waiting")).isZero();
		for (String type : new String[] { "local", "remote" }) {
			assertThat(count("distlock.handoffs", "type", type)).isZero();
		}
		assertThat(this.registry.get("distlock.renewal.lateness").tag("backend", "redis").timer().count()).isZero();
		for (String outcome : new String[] { "renewed", "gone", "failed" }) {
			assertThat(count("distlock.renewals", "outcome", outcome)).isZero();
		}
	}

	@Test
	void aRenewedSubscriptionIsCounted() {
		this.metrics.watchHolds("redis", () -> new HoldSummary(Map.of(), 0));
		assertThat(count("distlock.resubscriptions")).isZero();
		this.metrics.onResubscribed(new Resubscribed("redis", "distlock:inbox:a", "Redis at localhost:6379"));
		assertThat(count("distlock.resubscriptions")).isOne();
	}

	@ParameterizedTest
	@CsvSource({ "ACQUIRED, acquired", "TIMEOUT, timeout", "TOO_MANY_WAITING, too-many-waiting", "SKIPPED, skipped",
			"INTERRUPTED, interrupted", "BACKEND_ERROR, backend-error", "INVALID, invalid" })
	void anAttemptIsTimedUnderItsOutcome(LockOutcome outcome, String tag) {
		this.metrics.onAttempted(attempted(outcome, HandOff.NONE));
		this.metrics.onAttempted(attempted(outcome, HandOff.NONE));
		var timer = this.registry.get("distlock.acquire")
			.tags("name", "orders", "backend", "redis", "outcome", tag)
			.timer();
		assertThat(timer.count()).isEqualTo(2);
		assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(14);
	}

	@Test
	void onlyAnAcquiredLockCountsAsHeldAndItsReleaseIsTimed() {
		this.metrics.watchHolds("redis", () -> new HoldSummary(Map.of(), 0));
		this.metrics.onAttempted(attempted(LockOutcome.TIMEOUT, HandOff.NONE));
		assertThat(gauge("distlock.held")).isZero();
		this.metrics.onAttempted(attempted(LockOutcome.ACQUIRED, HandOff.NONE));
		assertThat(gauge("distlock.held")).isOne();
		this.metrics.onReleased(new Released("redis", "orders", "order-1", 17, Duration.ofMillis(30)));
		assertThat(gauge("distlock.held")).isZero();
		assertThat(this.registry.get("distlock.hold")
			.tags("name", "orders", "backend", "redis")
			.timer()
			.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(30);
	}

	@Test
	void aLostLockIsCountedAndTimedAndNoLongerHeld() {
		this.metrics.onAttempted(attempted(LockOutcome.ACQUIRED, HandOff.NONE));
		assertThat(lost()).isZero();
		this.metrics.onLost(new Lost("redis", "orders", "order-1", 17, Duration.ofMillis(30), "its lease has expired",
				LossCause.LEASE_EXPIRED, false));
		assertThat(lost()).isOne();
		assertThat(this.registry.get("distlock.hold").tag("name", "orders").timer().count()).isOne();
		assertThat(gauge("distlock.held")).isZero();
	}

	@Test
	void aLossThatIsKnownAfterTheReleaseIsOnlyCounted() {
		this.metrics.onAttempted(attempted(LockOutcome.ACQUIRED, HandOff.NONE));
		this.metrics.onReleased(new Released("redis", "orders", "order-1", 17, Duration.ofMillis(30)));
		this.metrics.onLost(new Lost("redis", "orders", "order-1", 17, Duration.ofMillis(30), "the store forgot it",
				LossCause.FORGOTTEN, true));
		assertThat(lost()).isOne();
		assertThat(this.registry.get("distlock.hold").tag("name", "orders").timer().count()).isOne();
		assertThat(gauge("distlock.held")).isZero();
	}

	@Test
	void handOffsAreCountedByType() {
		this.metrics.onAttempted(attempted(LockOutcome.ACQUIRED, HandOff.LOCAL));
		this.metrics.onAttempted(attempted(LockOutcome.ACQUIRED, HandOff.LOCAL));
		this.metrics.onAttempted(attempted(LockOutcome.ACQUIRED, HandOff.REMOTE));
		this.metrics.onAttempted(attempted(LockOutcome.ACQUIRED, HandOff.NONE));
		assertThat(count("distlock.handoffs", "type", "local")).isEqualTo(2);
		assertThat(count("distlock.handoffs", "type", "remote")).isOne();
	}

	@Test
	void waitingCallsAreCountedWhileTheyWait() {
		Waiting waiting = new Waiting("redis", "orders", "order-1");
		this.metrics.onWaiting(waiting);
		this.metrics.onWaiting(waiting);
		this.metrics.onWaitingEnded(waiting);
		assertThat(gauge("distlock.waiting")).isOne();
	}

	@Test
	void renewalsAreCountedByLease() {
		this.metrics.onRenewed(new Renewed("redis", 5, 2, 1, Duration.ZERO));
		this.metrics.onRenewed(new Renewed("redis", 5, 0, 0, Duration.ZERO));
		assertThat(count("distlock.renewals", "outcome", "renewed")).isEqualTo(10);
		assertThat(count("distlock.renewals", "outcome", "gone")).isEqualTo(2);
		assertThat(count("distlock.renewals", "outcome", "failed")).isOne();
	}

	@Test
	void theLatenessOfABatchIsTimedWhateverItsOutcome() {
		this.metrics.onRenewed(new Renewed("redis", 100, 0, 0, Duration.ofMillis(2)));
		this.metrics.onRenewed(new Renewed("redis", 0, 0, 100, Duration.ofMillis(3000)));
		var lateness = this.registry.get("distlock.renewal.lateness").tag("backend", "redis").timer();
		assertThat(lateness.count()).isEqualTo(2);
		assertThat(lateness.max(TimeUnit.MILLISECONDS)).isEqualTo(3000);
	}

	@Test
	void anUnknownStoreGetsItsMetersWithItsFirstEvent() {
		this.metrics.watchHolds("redis", () -> new HoldSummary(Map.of(), 0));
		this.metrics.onWaiting(new Waiting("local", "orders", "order-1"));
		assertThat(this.registry.get("distlock.waiting").tag("backend", "local").gauge().value()).isOne();
		assertThat(gauge("distlock.waiting")).isZero();
	}

	@Test
	void noTagContainsTheKey() {
		fireEverything();
		assertThat(this.registry.getMeters()).flatExtracting((meter) -> meter.getId().getTags())
			.extracting(Tag::getValue)
			.isNotEmpty()
			.doesNotContain("order-1");
	}

	@Test
	void eachMeterMatchesItsDocumentation() {
		fireEverything();
		for (LockMeters documented : LockMeters.values()) {
			String[] keys = Arrays.stream(documented.getKeyNames()).map(KeyName::asString).toArray(String[]::new);
			assertThat(this.registry.find(documented.getName()).meters()).isNotEmpty()
				.extracting(Meter::getId)
				.allSatisfy((id) -> {
					assertThat(id.getType()).isEqualTo(documented.getType());
					assertThat(id.getDescription()).isEqualTo(documented.getDescription());
					assertThat(id.getTags()).extracting(Tag::getKey).containsExactlyInAnyOrder(keys);
				});
		}
		assertThat(this.registry.getMeters()).extracting((meter) -> meter.getId().getName())
			.isSubsetOf(Arrays.stream(LockMeters.values()).map(LockMeters::getName).toList());
	}

	@Test
	void theMetersOfAnExpectedLockAreZeroBeforeItsFirstEvent() {
		this.metrics.expect("orders", "redis");
		for (String outcome : new String[] { "acquired", "timeout", "skipped", "backend-error" }) {
			assertThat(this.registry.get("distlock.acquire")
				.tags("name", "orders", "backend", "redis", "outcome", outcome)
				.timer()
				.count()).isZero();
		}
		assertThat(this.registry.get("distlock.hold").tag("name", "orders").timer().count()).isZero();
		assertThat(lost()).isZero();
	}

	@Test
	void theGaugesOfHeldLocksAreReadFromTheirSource() {
		AtomicReference<HoldSummary> held = new AtomicReference<>(new HoldSummary(Map.of(), 0));
		this.metrics.expect("orders", "redis");
		this.metrics.watchHolds("redis", held::get);
		this.metrics.expect("stock", "redis");
		assertThat(gauge("distlock.at.risk")).isZero();
		assertThat(longest("orders")).isZero();
		held.set(new HoldSummary(Map.of("orders", Duration.ofMillis(1500), "stock", Duration.ofMinutes(2)), 3));
		assertThat(gauge("distlock.at.risk")).isEqualTo(3);
		assertThat(longest("orders")).isEqualTo(1.5);
		assertThat(longest("stock")).isEqualTo(120);
	}

	private double longest(String name) {
		return this.registry.get("distlock.hold.longest")
			.tags("name", name, "backend", "redis")
			.timeGauge()
			.value(TimeUnit.SECONDS);
	}

	private void fireEverything() {
		this.metrics.watchFence(Map.of("passed", new AtomicLong()));
		this.metrics.watchHolds("redis", () -> new HoldSummary(Map.of(), 0));
		Waiting waiting = new Waiting("redis", "orders", "order-1");
		this.metrics.onWaiting(waiting);
		this.metrics.onWaitingEnded(waiting);
		this.metrics.onAttempted(attempted(LockOutcome.ACQUIRED, HandOff.REMOTE));
		this.metrics.onRenewed(new Renewed("redis", 1, 0, 0, Duration.ZERO));
		this.metrics.onReleased(new Released("redis", "orders", "order-1", 17, Duration.ofMillis(30)));
		this.metrics.onLost(new Lost("redis", "orders", "order-1", 18, Duration.ofMillis(30), "its lease has expired",
				LossCause.LEASE_EXPIRED, false));
	}

	private double gauge(String name) {
		return this.registry.get(name).tag("backend", "redis").gauge().value();
	}

	private double lost() {
		return count("distlock.lost", "name", "orders");
	}

	private double count(String name, String... tags) {
		return this.registry.get(name).tag("backend", "redis").tags(tags).counter().count();
	}

	private static Attempted attempted(LockOutcome outcome, HandOff handOff) {
		return new Attempted("redis", "orders", "order-1", outcome, Duration.ofMillis(7), handOff, 17);
	}

}
