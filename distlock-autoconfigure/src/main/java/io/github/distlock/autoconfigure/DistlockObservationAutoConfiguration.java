package io.github.distlock.autoconfigure;

import io.github.distlock.observation.LockObservationContext;
import io.github.distlock.observation.LockObservationConvention;
import io.github.distlock.observation.LockObserver;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration for the observations, if the application has an
 * {@link ObservationRegistry}.
 */
@AutoConfiguration(
		afterName = { "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration" })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnSingleCandidate(ObservationRegistry.class)
@EnableConfigurationProperties(DistlockProperties.class)
public final class DistlockObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockObserver distlockObserver(ObservationRegistry registry, ObjectProvider<LockObservationConvention> conventions,
			DistlockProperties properties) {
		DistlockProperties.Observations observations = properties.observations();
		return new LockObserver(registry, conventions.orderedStream().toList(), observations.section(),
				observations.keys());
	}

	/**
	 * The library has a timer of its own for each acquisition and each hold, so that its
	 * observations become spans only.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterObservationHandler.class)
	static class ObservationsWithoutMeters {

		/** Spring Boot asks the first handler of meters that supports an observation. */
		@Bean
		@Order(Ordered.HIGHEST_PRECEDENCE)
		MeterObservationHandler<LockObservationContext> distlockMeterObservationHandler() {
			return new MeterObservationHandler<>() {

				@Override
				public boolean supportsContext(Observation.Context context) {
					return context instanceof LockObservationContext;
				}

			};
		}

	}

}
