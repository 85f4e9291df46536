package io.github.distlock.benchmarks.distlock;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.contenders.UnavailableException;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The only place that makes the registry of distlock: by an application as a user writes
 * it, with auto-configuration and default settings.
 */
public final class DistlockApplication implements AutoCloseable {

	private static final String METADATA = "META-INF/spring-configuration-metadata.json";

	private static final String LETTUCE_OBSERVATIONS = "org.springframework.boot.data.redis.autoconfigure.observation"
			+ ".LettuceObservationAutoConfiguration";

	private final ConfigurableApplicationContext context;

	private DistlockApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Return the application of a client with default settings.
	 * @param client the client
	 * @return the application, started once
	 */
	public static DistlockApplication of(Client client) {
		return of(client, Map.of());
	}

	/**
	 * Return the application of a client with some settings.
	 * @param client the client
	 * @param settings properties of distlock that differ from the defaults
	 * @return the application, started once
	 * @throws UnavailableException if the library does not know a property
	 */
	static DistlockApplication of(Client client, Map<String, String> settings) {
		settings.keySet().forEach(DistlockApplication::requireKnown);
		return client.resource(DistlockApplication.class, "distlock" + settings,
				() -> start(client.store(), settings, List.of(), Configuration.class));
	}

	/**
	 * Return the application of a client with default settings, whose acquisitions are
	 * observed: each becomes a timer, as with Spring Boot's actuator. The commands of
	 * Lettuce are not observed, as they would be with Spring Boot.
	 * @param client the client
	 * @return the application, started once
	 */
	static DistlockApplication observed(Client client) {
		return client.resource(DistlockApplication.class, "distlock observed", () -> start(client.store(), Map.of(),
				List.of(LETTUCE_OBSERVATIONS), Configuration.class, Observations.class));
	}

	/**
	 * Start the same application without distlock, so that a JVM that measures another
	 * library is as old as one that measures distlock.
	 * @param client the client
	 */
	public static void startWithout(Client client) {
		client.resource(DistlockApplication.class, "no distlock",
				() -> start(client.store(), Map.of("distlock.enabled", "false"), List.of(), Configuration.class));
	}

	private static DistlockApplication start(StoreAddress store, Map<String, String> settings, List<String> excluded,
			Class<?>... sources) {
		Map<String, Object> properties = new LinkedHashMap<>(StoreProperties.of(store));
		properties.putAll(settings);
		properties.put("spring.autoconfigure.exclude",
				Stream.concat(StoreProperties.excluded(store).stream(), excluded.stream())
					.collect(Collectors.joining(",")));
		properties.put("spring.main.register-shutdown-hook", "false");
		properties.put("logging.level.root", "warn");
		return new DistlockApplication(new SpringApplicationBuilder(sources).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.properties(properties)
			.run());
	}

	/** Spring Boot would ignore it without a word, and we would measure the default. */
	private static void requireKnown(String property) {
		try (InputStream metadata = DistributedLock.class.getClassLoader().getResourceAsStream(METADATA)) {
			if (metadata == null
					|| !new String(metadata.readAllBytes(), StandardCharsets.UTF_8).contains("\"" + property + "\"")) {
				throw new UnavailableException("this version has no property " + property);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the registry of the application.
	 * @return the default one
	 */
	public LockRegistry registry() {
		return this.context.getBean(LockRegistry.class);
	}

	AnnotatedSection annotated() {
		return this.context.getBean(AnnotatedSection.class);
	}

	@Override
	public void close() {
		this.context.close();
	}

	static class Observations {

		@Bean
		ObservationRegistry observationRegistry() {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig()
				.observationHandler(new DefaultMeterObservationHandler(new SimpleMeterRegistry()));
			return registry;
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(AnnotatedSection.class)
	static class Configuration {

	}

}
