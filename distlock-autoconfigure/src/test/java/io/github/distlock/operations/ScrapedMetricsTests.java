package io.github.distlock.operations;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every metric that an alert or a panel names is in a scrape of an application.
 */
class ScrapedMetricsTests {

	private static final Pattern LINE = Pattern.compile("^(distlock_[a-z_]+)", Pattern.MULTILINE);

	@Test
	void eachMetricOfTheAlertsAndTheDashboardIsInAScrape() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties("distlock.backend=local",
					"management.metrics.distribution.percentiles-histogram.distlock.acquire=true")
			.run()) {
			LockRequest request = LockRequest.of("stock-42").name("stock");
			context.getBean(LockRegistry.class).acquire(request).close();
			Set<String> scraped = new TreeSet<>();
			LINE.matcher(context.getBean(PrometheusMeterRegistry.class).scrape())
				.results()
				.forEach((line) -> scraped.add(line.group(1)));
			assertThat(OperationsFiles.metrics()).hasSizeGreaterThan(10).isSubsetOf(scraped);
		}
	}

	/** An application without code. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

}
