package io.github.distlock.docs.reference;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.distlock.LockMdc;
import io.github.distlock.metrics.HoldReading;
import io.github.distlock.metrics.LockMeters;
import io.github.distlock.metrics.LockMetrics;
import io.github.distlock.observation.LockObservationDocumentation;
import io.micrometer.common.docs.KeyName;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/**
 * Meters, observations and entries of the MDC.
 */
record MeterSection(SourceDocs docs) {

	void write(Markdown page) {
		writeMeters(page);
		writeObservations(page);
		page.add("## Entries of the MDC");
		page.add("With `distlock.logging.mdc=true`, log lines that are written under a lock have these entries.");
		page.table("Entry", "Description")
			.row(Markdown.code(LockMdc.KEY), this.docs.of(LockMdc.class, "KEY"))
			.row(Markdown.code(LockMdc.NAME), this.docs.of(LockMdc.class, "NAME"))
			.end();
	}

	private void writeMeters(Markdown page) {
		page.add("## Meters");
		page.add("A meter always has all of its tags. No tag contains a key. How to use them: "
				+ "[observability.md](observability.md).");
		PrometheusMeterRegistry registry = registry();
		List<String> exposed = exposed(registry);
		page.table("Meter", "Type", "Unit", "Tags", "In Prometheus", "Description");
		for (LockMeters meter : LockMeters.values()) {
			String unit = registry.get(meter.getName()).meter().getId().getBaseUnit();
			String name = meter.getName().replace('.', '_');
			page.row(Markdown.code(meter.getName()), meter.getType().name().toLowerCase(), (unit != null) ? unit : "",
					keys(meter.getKeyNames()),
					exposed.stream()
						.filter((other) -> other.matches(name + "(?:_seconds|_total|_max|_seconds_max)?"))
						.map(Markdown::code)
						.collect(Collectors.joining(", ")),
					this.docs.of(meter));
		}
		page.end();
		page.table("Tag", "Description");
		for (LockMeters.Tags tag : LockMeters.Tags.values()) {
			page.row(Markdown.code(tag.asString()), this.docs.of(tag));
		}
		page.end();
	}

	/** The names that Prometheus shows. */
	static List<String> exposed(PrometheusMeterRegistry registry) {
		return registry.scrape()
			.lines()
			.filter((line) -> line.startsWith("# TYPE "))
			.map((line) -> line.split(" ")[2])
			.toList();
	}

	/** A registry with all meters. */
	static PrometheusMeterRegistry registry() {
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		LockMetrics metrics = new LockMetrics(registry, "redis");
		metrics.watchHolds("redis", () -> new HoldReading(Map.of(), 0, 0));
		metrics.expect("stock", "redis");
		return registry;
	}

	private void writeObservations(Markdown page) {
		page.add("## Observations");
		page.table("Observation", "Events", "Description");
		for (LockObservationDocumentation observation : LockObservationDocumentation.values()) {
			page.row(Markdown.code(observation.getName()),
					Arrays.stream(observation.getEvents())
						.map((event) -> Markdown.code(event.getName()))
						.collect(Collectors.joining(", ")),
					this.docs.of(observation));
		}
		page.end();
		page.table("Event", "Description");
		for (LockObservationDocumentation.LockEvents event : LockObservationDocumentation.LockEvents.values()) {
			page.row(Markdown.code(event.getName()), this.docs.of(event));
		}
		page.end();
		page.table("Key name", "Values", "Description");
		for (var key : LockObservationDocumentation.LowCardinalityKeyNames.values()) {
			page.row(Markdown.code(key.asString()), "few", this.docs.of(key));
		}
		for (var key : LockObservationDocumentation.HighCardinalityKeyNames.values()) {
			page.row(Markdown.code(key.asString()), "many", this.docs.of(key));
		}
		page.end();
	}

	private static String keys(KeyName[] keys) {
		return Arrays.stream(keys).map((key) -> Markdown.code(key.asString())).collect(Collectors.joining(", "));
	}

}
