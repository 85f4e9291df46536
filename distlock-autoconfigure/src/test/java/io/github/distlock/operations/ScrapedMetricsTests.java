package io.github.distlock.operations;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.installed.Installed;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The metrics of an application as Prometheus scrapes them. Every metric that an alert or
 * a panel names is one of them.
 */
class ScrapedMetricsTests {

	private static final Pattern LINE = Pattern.compile("^(distlock_[a-z_]+)", Pattern.MULTILINE);

	private static String scrape = "";

	@Test
	void eachMetricOfTheAlertsAndTheDashboardIsInAScrape() throws Exception {
		Set<String> scraped = new TreeSet<>();
		LINE.matcher(scrape).results().forEach((line) -> scraped.add(line.group(1)));
		assertThat(OperationsFiles.metrics()).hasSizeGreaterThan(10).isSubsetOf(scraped);
	}

	@Test
	void anAcquisitionAndASectionAreTimedOnce() throws Exception {
		assertThat(scrape.lines().filter((line) -> line.startsWith("distlock_")))
			.anyMatch((line) -> line.startsWith("distlock_acquire_seconds_count{"))
			.anyMatch((line) -> line.startsWith("distlock_hold_seconds_count{"))
			.noneMatch((line) -> line.startsWith("distlock_acquisition") || line.startsWith("distlock_section"));
	}

	@Tag(Installed.TAG)
	@Test
	void promtoolHasNoComplaintAboutAMetric() throws Exception {
		assertThat(AlertRulesTests.answerOfPromtool(scrape, "check", "metrics").lines())
			.filteredOn((line) -> line.startsWith("distlock_"))
			.isEmpty();
	}

	/** A scrape after a wait, with observations of everything that is observed. */
	@BeforeAll
	static void readTheMetrics() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties("distlock.backend=local", "distlock.observations.section=true",
					"spring.datasource.url=jdbc:h2:mem:scraped", "distlock.transaction.fence=true",
					"management.metrics.distribution.percentiles-histogram.distlock.acquire=true")
			.run()) {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockRequest request = LockRequest.of("stock-42").name("stock");
			AtomicReference<CompletableFuture<HeldLock>> waiting = new AtomicReference<>();
			context.getBean(Stock.class).locked(() -> waiting.set(registry.acquireAsync(request)));
			waiting.get().join().close();
			// Handlers of spans still receive them.
			assertThat(context.getBean(StoppedObservations.class).names).contains("distlock.acquisition",
					"distlock.section");
			scrape = context.getBean(PrometheusMeterRegistry.class).scrape();
		}
	}

	/** An application with one locked method. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ Stock.class, StoppedObservations.class })
	static class Application {

	}

	static class Stock {

		@DistributedLock(key = "'stock-42'", name = "stock")
		public void locked(Runnable body) {
			body.run();
		}

	}

	static class StoppedObservations implements ObservationHandler<Observation.Context> {

		final List<String> names = new CopyOnWriteArrayList<>();

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

		@Override
		public void onStop(Observation.Context context) {
			this.names.add(context.getName());
		}

	}

}
