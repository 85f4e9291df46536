package io.github.distlock.test;

import io.github.distlock.LockListener;
import io.github.distlock.autoconfigure.ControlledBackendRegistrar;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockJdbcAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockLocalAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockRedisAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockRedlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockZooKeeperAutoConfiguration;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration for {@link AutoConfigureTestLocks @AutoConfigureTestLocks}: replaces
 * each enabled backend by one that the test controls.
 */
@AutoConfiguration(before = { DistlockAutoConfiguration.class, DistlockRedisAutoConfiguration.class,
		DistlockRedlockAutoConfiguration.class, DistlockJdbcAutoConfiguration.class,
		DistlockZooKeeperAutoConfiguration.class, DistlockLocalAutoConfiguration.class })
@Import(ControlledBackendRegistrar.class)
final class TestLocksAutoConfiguration {

	@Bean(ControlledBackendRegistrar.BACKENDS)
	ControlledBackends distlockControlledBackends() {
		return new ControlledBackends();
	}

	@Bean
	TestLocks distlockTestLocks(ControlledBackends stores) {
		return new TestLocks(stores);
	}

	@Bean
	LockListener distlockTestLockListener(ControlledBackends stores) {
		return stores.listener();
	}

	@Bean
	static ImmediateRefusalPostProcessor distlockImmediateRefusal(ObjectProvider<ControlledBackends> stores) {
		return new ImmediateRefusalPostProcessor(stores);
	}

}
