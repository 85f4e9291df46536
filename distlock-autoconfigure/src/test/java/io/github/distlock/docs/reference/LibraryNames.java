package io.github.distlock.docs.reference;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.github.distlock.autoconfigure.DistlockProperties;
import io.github.distlock.autoconfigure.RedlockStoreProperties;
import io.github.distlock.metrics.LockMetrics;
import io.github.distlock.registry.RegistrySnapshot.HoldSummary;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.io.UrlResource;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The properties and meters of the library.
 */
final class LibraryNames {

	private LibraryNames() {
	}

	/** Return the metadata of all properties. */
	static List<JsonNode> properties() throws IOException {
		// Many jars contain such a file: read the one next to the classes of this module.
		var classes = DistlockProperties.class.getProtectionDomain().getCodeSource().getLocation();
		return JsonMapper.shared()
			.readTree(
					new UrlResource(classes + "META-INF/spring-configuration-metadata.json").getContentAsString(UTF_8))
			.path("properties")
			.valueStream()
			.toList();
	}

	/**
	 * Return the properties of a node of Redlock, which the metadata does not contain.
	 */
	static Stream<String> nodeProperties() {
		return Stream.of(RedlockStoreProperties.Node.class.getRecordComponents())
			.map((component) -> "distlock.redlock.nodes[]."
					+ component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
	}

	/** Return a registry with all meters. */
	static PrometheusMeterRegistry meters() {
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		LockMetrics metrics = new LockMetrics(registry);
		metrics.watchHolds("redis", () -> new HoldSummary(Map.of(), 0));
		metrics.expect("stock", "redis");
		metrics.watchFence(Map.of("passed", new AtomicLong()));
		return registry;
	}

	/** Return the names that Prometheus shows. */
	static List<String> exposed(PrometheusMeterRegistry registry) {
		return registry.scrape()
			.lines()
			.filter((line) -> line.startsWith("# TYPE "))
			.map((line) -> line.split(" ")[2])
			.toList();
	}

}
