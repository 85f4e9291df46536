package io.github.distlock.metrics;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.observation.LockObservationDocumentation;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.TestSettings;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The meters that observations become, beside the meters of the library. Prometheus
 * refuses two meters of one name with different tags.
 */
class ObservationMeterTests {

	private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)
		.throwExceptionOnRegistrationFailure();

	@Test
	void noMeterOfAnObservationClashesWithAMeterOfTheLibrary() throws Exception {
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(this.meters));
		LockMetrics metrics = new LockMetrics(this.meters);
		BackendLockRegistry registry = new BackendLockRegistry(
				new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 1, TimeSource.SYSTEM),
				TestSettings.of(Duration.ofSeconds(10), Duration.ofSeconds(30), null, TestSettings.NO_HAND_OFF,
						Duration.ofSeconds(10), false, Duration.ZERO),
				() -> List.of(metrics), TimeSource.SYSTEM,
				new LockObservers(() -> new LockObserver(observations, List.of(), true, true)));
		registry.start();
		try {
			registry.execute(LockRequest.of("order-7").name("orders"), () -> "done");
			try (HeldLock rival = registry.acquire(LockRequest.of("order-7").name("others"))) {
				CompletableFuture<HeldLock> queued = registry
					.acquireAsync(LockRequest.of("order-7").name("orders").waitTime(LockRequest.FOREVER));
				await().until(() -> this.meters.find("distlock.acquisition.queued").counter() != null);
				queued.cancel(false);
				assertThatExceptionOfType(CompletionException.class)
					.isThrownBy(() -> registry
						.acquireAsync(LockRequest.of("order-7").name("orders").waitTime(Duration.ofMillis(500)))
						.join())
					.withCauseInstanceOf(LockNotAcquiredException.class);
				assertThat(rival.isHeld()).isTrue();
			}
		}
		finally {
			registry.shutdown();
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
