package io.github.distlock.test;

import io.github.distlock.LockListener;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for {@link AutoConfigureTestLocks @AutoConfigureTestLocks}: replaces
 * each enabled backend by one that the test controls.
 */
@AutoConfiguration
final class TestLocksAutoConfiguration {

	@Bean
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
