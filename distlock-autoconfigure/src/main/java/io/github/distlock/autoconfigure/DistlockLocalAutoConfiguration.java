package io.github.distlock.autoconfigure;

import io.github.distlock.autoconfigure.DistlockProperties.Handoff;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration for the backend in the memory of this JVM, with one store for each
 * application context. It must be enabled explicitly, since it does not exclude other
 * JVMs.
 */
@AutoConfiguration(before = DistlockAutoConfiguration.class)
@ConditionalOnBackend(Backend.LOCAL)
@EnableConfigurationProperties(DistlockProperties.class)
public final class DistlockLocalAutoConfiguration {

	private static final Log logger = LogFactory.getLog(DistlockLocalAutoConfiguration.class);

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	LocalStore distlockLocalStore() {
		return new LocalStore(TimeSource.SYSTEM);
	}

	@Bean
	@Lazy
	@Qualifier("local")
	LockBackend distlockLocalLockBackend(LocalStore store, DistlockProperties properties) {
		logger.warn("The lock backend 'local' is enabled: its locks exclude other threads of this application, "
				+ "but not other JVMs");
		return new LocalLockBackend(store, Handoff.TOKENS_PER_GRANT, TimeSource.SYSTEM);
	}

}
