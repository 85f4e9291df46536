package io.github.distlock.benchmarks.contenders;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockRegistry;
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
 * The only place where our registry is made: by an application as a user writes it, so
 * that what is measured is what auto-configuration and default settings give.
 */
final class DistlockApplication implements AutoCloseable {

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
	static DistlockApplication of(Client client) {
		return of(client, Map.of());
	}

	/**
	 * Return the application of a client with some settings.
	 * @param client the client
	 * @param settings properties of ours that differ from the defaults
	 * @return the application, started once
	 * @throws UnavailableException if our library does not know a property
	 */
	static DistlockApplication of(Client client, Map<String, String> settings) {
		settings.keySet().forEach(DistlockApplication::requireKnown);
		return client.resource(DistlockApplication.class, "distlock" + settings,
				() -> start(client.redis(), settings, Configuration.class));
	}

	/**
	 * Return the application of a client with default settings, whose acquisitions are
	 * observed: each becomes a timer, as with Spring Boot's actuator. The commands of
	 * Lettuce are not observed, as they would be with Spring Boot.
	 * @param client the client
	 * @return the application, started once
	 */
	static DistlockApplication observed(Client client) {
		return client.resource(DistlockApplication.class, "distlock observed", () -> start(client.redis(),
				Map.of("spring.autoconfigure.exclude", LETTUCE_OBSERVATIONS), Configuration.class, Observations.class));
	}

	private static DistlockApplication start(RedisAddress redis, Map<String, String> settings, Class<?>... sources) {
		Map<String, Object> properties = new LinkedHashMap<>(settings);
		properties.put("spring.data.redis.host", redis.host());
		properties.put("spring.data.redis.port", redis.port());
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

	LockRegistry registry() {
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
