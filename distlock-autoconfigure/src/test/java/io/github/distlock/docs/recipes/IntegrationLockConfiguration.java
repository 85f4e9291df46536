package io.github.distlock.docs.recipes;

import java.util.concurrent.locks.Lock;

import io.github.distlock.LockRegistry;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class IntegrationLockConfiguration {

	@Bean
	org.springframework.integration.support.locks.LockRegistry<Lock> integrationLocks(LockRegistry locks) {
		return new io.github.distlock.integration.IntegrationLockRegistry(locks);
	}

}
