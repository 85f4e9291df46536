package io.github.distlock.autoconfigure;

import java.time.Clock;

import io.github.distlock.actuate.DistlocksEndpoint;
import io.github.distlock.actuate.DistlocksPage;
import io.github.distlock.actuate.HotKeys;
import io.github.distlock.actuate.RecentLockEvents;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the actuator endpoint {@code distlocks}, if it is exposed.
 */
@AutoConfiguration(after = DistlockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(DistlocksEndpoint.class)
@ConditionalOnBean(BackendRegistries.class)
@EnableConfigurationProperties(DistlocksEndpointProperties.class)
public final class DistlockEndpointAutoConfiguration {

	@Bean
	RecentLockEvents distlockRecentEvents() {
		return new RecentLockEvents(Clock.systemUTC());
	}

	@Bean
	HotKeys distlockHotKeys() {
		return new HotKeys();
	}

	@Bean
	@ConditionalOnMissingBean
	DistlocksEndpoint distlocksEndpoint(BackendRegistries registries, RecentLockEvents recentEvents, HotKeys hotKeys,
			DistlocksEndpointProperties properties, ObjectProvider<SanitizingFunction> functions,
			ApplicationEventPublisher publisher) {
		return new DistlocksEndpoint(registries::byName, recentEvents, hotKeys, publisher,
				(caller) -> properties.showValues().isShown(caller, properties.roles()),
				new Sanitizer(functions.orderedStream().toList()));
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBooleanProperty(name = "distlock.endpoint.page", matchIfMissing = true)
	DistlocksPage distlocksPage() {
		return new DistlocksPage();
	}

}
