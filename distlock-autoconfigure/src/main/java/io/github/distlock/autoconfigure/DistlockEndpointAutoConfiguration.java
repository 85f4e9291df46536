package io.github.distlock.autoconfigure;

import java.time.Clock;

import io.github.distlock.actuate.DescriptorHints;
import io.github.distlock.actuate.DistlocksEndpoint;
import io.github.distlock.actuate.LockOperator;
import io.github.distlock.actuate.RecentLockEvents;
import io.github.distlock.actuate.ReleaseAudit;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * Auto-configuration for the actuator endpoint {@code distlocks}, if it is exposed.
 */
@AutoConfiguration(after = DistlockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(DistlocksEndpoint.class)
@ConditionalOnBean(BackendRegistries.class)
@EnableConfigurationProperties(DistlocksEndpointProperties.class)
@ImportRuntimeHints(DescriptorHints.class)
public final class DistlockEndpointAutoConfiguration {

	@Bean
	RecentLockEvents distlockRecentEvents() {
		return new RecentLockEvents(Clock.systemUTC());
	}

	@Bean
	LockOperator distlockOperator(BackendRegistries registries, RecentLockEvents recentEvents,
			DistlocksEndpointProperties properties, ObjectProvider<SanitizingFunction> functions,
			ApplicationEventPublisher publisher) {
		return new LockOperator(registries::byName, recentEvents, new ReleaseAudit(publisher),
				(caller) -> properties.showValues().isShown(caller, properties.roles()),
				new Sanitizer(functions.orderedStream().toList()));
	}

	@Bean
	@ConditionalOnMissingBean
	DistlocksEndpoint distlocksEndpoint(LockOperator operator) {
		return new DistlocksEndpoint(operator);
	}

}
