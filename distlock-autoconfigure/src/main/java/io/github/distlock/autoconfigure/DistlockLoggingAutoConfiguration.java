package io.github.distlock.autoconfigure;

import io.github.distlock.LockMdc;
import org.slf4j.MDC;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration for the lock in the MDC of log lines, if the application logs
 * through SLF4J.
 */
@AutoConfiguration
@ConditionalOnClass(MDC.class)
@EnableConfigurationProperties(DistlockProperties.class)
public final class DistlockLoggingAutoConfiguration {

	/** The MDC entries are switched on for as long as the application context lives. */
	@Bean
	@Lazy(false)
	DisposableBean distlockMdc(DistlockProperties properties) {
		// Read at run time: ahead-of-time processing would freeze a condition.
		if (!properties.logging().mdc()) {
			return () -> {
			};
		}
		LockMdc.enable();
		return LockMdc::disable;
	}

}
