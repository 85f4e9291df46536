package io.github.distlock.autoconfigure;

import io.github.distlock.LockListener;
import io.github.distlock.test.ControlledBackends;
import io.github.distlock.test.TestLocks;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration for
 * {@link io.github.distlock.test.AutoConfigureTestLocks @AutoConfigureTestLocks}:
 * replaces each enabled backend by one that the test controls. No application uses it
 * outside of tests.
 */
@AutoConfiguration(before = { DistlockAutoConfiguration.class, DistlockRedisAutoConfiguration.class,
		DistlockRedlockAutoConfiguration.class, DistlockJdbcAutoConfiguration.class,
		DistlockZooKeeperAutoConfiguration.class, DistlockLocalAutoConfiguration.class })
@Import(ControlledBackendRegistrar.class)
public final class TestLocksAutoConfiguration {

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
