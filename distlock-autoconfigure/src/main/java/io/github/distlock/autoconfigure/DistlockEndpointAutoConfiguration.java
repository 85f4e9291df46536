package io.github.distlock.autoconfigure;

import java.time.Clock;

import io.github.distlock.actuate.DescriptorHints;
import io.github.distlock.actuate.DistlocksEndpoint;
import io.github.distlock.actuate.DistlocksEndpointWebExtension;
import io.github.distlock.actuate.LockInspection;
import io.github.distlock.actuate.LockRegistries;
import io.github.distlock.actuate.OperatorReleases;
import io.github.distlock.actuate.RecentLockEvents;
import io.github.distlock.actuate.ReleaseAudit;
import io.github.distlock.actuate.ValueMasks;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
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
	LockInspection distlockInspection(BackendRegistries registries, RecentLockEvents recentEvents) {
		return new LockInspection(new LockRegistries(registries::byName), recentEvents);
	}

	@Bean
	OperatorReleases distlockOperatorReleases(BackendRegistries registries, RecentLockEvents recentEvents,
			ApplicationEventPublisher publisher) {
		return new OperatorReleases(new LockRegistries(registries::byName), recentEvents, new ReleaseAudit(publisher));
	}

	@Bean
	ValueMasks distlockValueMasks(DistlocksEndpointProperties properties,
			ObjectProvider<SanitizingFunction> functions) {
		return new ValueMasks(properties.showValues(), properties.roles(), functions.orderedStream().toList());
	}

	@Bean
	@ConditionalOnMissingBean
	DistlocksEndpoint distlocksEndpoint(LockInspection inspection, OperatorReleases releases, ValueMasks masks) {
		return new DistlocksEndpoint(inspection, releases, masks);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(DistlocksEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	DistlocksEndpointWebExtension distlocksEndpointWebExtension(LockInspection inspection, OperatorReleases releases,
			ValueMasks masks) {
		return new DistlocksEndpointWebExtension(inspection, releases, masks);
	}

}
