package io.github.distlock.metrics;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockListener.Attempted;
import io.github.distlock.LockListener.Lost;
import io.github.distlock.LockListener.Released;
import io.github.distlock.LockListener.Renewed;
import io.github.distlock.LockListener.Resubscribed;
import io.github.distlock.LockListener.Waiting;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.observation.LockObservationDocumentation;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySnapshot.HoldSummary;
import io.github.distlock.testing.TestSettings;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How each event changes the meters, and that no meter of an observation clashes with one
 * of the library: Prometheus refuses two meters of one name with different tags.
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

	@ParameterizedTest(name = "{0}: {1} is {2}")
	@CsvSource(delimiter = '|', textBlock = """
			timeout                        | distlock.held                     | 0
			timeout acquired               | distlock.held                     | 1
			timeout acquired released      | distlock.held                     | 0
			acquired released              | distlock.hold                     | 30
			acquired                       | distlock.lost                     | 0
			acquired lost                  | distlock.lost                     | 1
			acquired lost                  | distlock.hold                     | 30
			acquired lost                  | distlock.held                     | 0
			acquired released lost-late    | distlock.lost                     | 1
			acquired released lost-late    | distlock.hold                     | 30
			acquired released lost-late    | distlock.held                     | 0
			acquired local local remote    | distlock.handoffs type=local      | 2
			acquired local local remote    | distlock.handoffs type=remote     | 1
			waiting waiting waiting-ended  | distlock.waiting                  | 1
			renewed renewed-partly         | distlock.renewals outcome=renewed | 10
			renewed renewed-partly         | distlock.renewals outcome=gone    | 2
			renewed renewed-partly         | distlock.renewals outcome=failed  | 1
			waiting                        | distlock.resubscriptions          | 0
			resubscribed                   | distlock.resubscriptions          | 1
			""")
	void eachEventChangesItsMeters(String events, String meter, int value) {
		this.metrics.watchHolds("redis", () -> new HoldSummary(Map.of(), 0));
		Stream.of(events.split(" ")).forEach(this::fire);
		String[] tags = (meter + " backend=redis").split("[ =]");
		Meter found = this.registry.get(tags[0]).tags(Arrays.copyOfRange(tags, 1, tags.length)).meter();
		assertThat((found instanceof Timer timer) ? timer.totalTime(TimeUnit.MILLISECONDS)
				: found.measure().iterator().next().getValue())
			.isEqualTo(value);
	}

	private void fire(String event) {
		switch (event) {
			case "waiting" -> this.metrics.onWaiting(new Waiting("redis", "orders", "order-1", Duration.ZERO));
			case "waiting-ended" ->
				this.metrics.onWaitingEnded(new Waiting("redis", "orders", "order-1", Duration.ZERO));
			case "timeout" -> this.metrics.onAttempted(attempted(LockOutcome.TIMEOUT, HandOff.NONE));
			case "acquired" -> this.metrics.onAttempted(attempted(LockOutcome.ACQUIRED, HandOff.NONE));
			case "local" -> this.metrics.onAttempted(attempted(LockOutcome.ACQUIRED, HandOff.LOCAL));
			case "remote" -> this.metrics.onAttempted(attempted(LockOutcome.ACQUIRED, HandOff.REMOTE));
			case "released" ->
				this.metrics.onReleased(new Released("redis", "orders", "order-1", 17, Duration.ofMillis(30)));
			case "lost" -> this.metrics.onLost(new Lost("redis", "orders", "order-1", 17, Duration.ofMillis(30),
					"its lease has expired", LossCause.LEASE_EXPIRED, false));
			case "lost-late" -> this.metrics.onLost(new Lost("redis", "orders", "order-1", 17, Duration.ofMillis(30),
					"the store forgot it", LossCause.FORGOTTEN, true));
			case "renewed" -> this.metrics.onRenewed(new Renewed("redis", 5, 0, 0, Duration.ZERO));
			case "renewed-partly" -> this.metrics.onRenewed(new Renewed("redis", 5, 2, 1, Duration.ZERO));
			default ->
				this.metrics.onResubscribed(new Resubscribed("redis", "distlock:inbox:a", "Redis at localhost:6379"));
		}
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
		this.metrics.onWaiting(new Waiting("local", "orders", "order-1", Duration.ZERO));
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
		Stream.of("waiting", "waiting-ended", "remote", "renewed", "released", "lost").forEach(this::fire);
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

	private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)
		.throwExceptionOnRegistrationFailure();

	@Test
	void noMeterOfAnObservationClashesWithAMeterOfTheLibrary() throws Exception {
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(this.meters));
		LockMetrics ofLibrary = new LockMetrics(this.meters);
		BackendLockRegistry locks = new BackendLockRegistry(
				new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 1, TimeSource.SYSTEM),
				TestSettings.of(Duration.ofSeconds(10), Duration.ofSeconds(30), null, TestSettings.NO_HAND_OFF,
						Duration.ofSeconds(10), false, Duration.ZERO),
				() -> List.of(ofLibrary), TimeSource.SYSTEM,
				new LockObservers(() -> new LockObserver(observations, List.of(), true, true)));
		locks.start();
		try {
			locks.execute(LockRequest.of("order-7").name("orders"), () -> "done");
			try (HeldLock rival = locks.acquire(LockRequest.of("order-7").name("others"))) {
				CompletableFuture<HeldLock> queued = locks
					.acquireAsync(LockRequest.of("order-7").name("orders").waitTime(LockRequest.FOREVER));
				await().until(() -> this.meters.find("distlock.acquisition.queued").counter() != null);
				queued.cancel(false);
				assertThatExceptionOfType(CompletionException.class)
					.isThrownBy(() -> locks
						.acquireAsync(LockRequest.of("order-7").name("orders").waitTime(Duration.ofMillis(500)))
						.join())
					.withCauseInstanceOf(LockNotAcquiredException.class);
				assertThat(rival.isHeld()).isTrue();
			}
		}
		finally {
			locks.shutdown();
		}
		assertThat(this.meters.scrape())
			.contains("distlock_acquire_seconds_count{backend=\"local\",name=\"orders\",outcome=\"acquired\"} 1",
					"distlock_acquisition_seconds_count{distlock_backend=\"local\",distlock_mode=\"exclusive\","
							+ "distlock_name=\"orders\",error=\"none\",exception=\"none\",outcome=\"acquired\"} 1",
					"distlock_section_seconds_count{", "distlock_acquisition_queued_total{")
			.doesNotContain("order-7");
	}

	@Test
	void noObservationHasTheNameOfAMeter() {
		assertThat(Stream.of(LockObservationDocumentation.values()).map(LockObservationDocumentation::getName))
			.doesNotContainAnyElementsOf(Stream.of(LockMeters.values()).map(LockMeters::getName).toList());
	}

}
