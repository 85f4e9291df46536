package io.github.distlock.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * {@link AbstractFailureAnalyzer} for a value of {@code distlock.backend} that names no
 * backend. Lists the valid values.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class UnknownBackendFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

	private static final ConfigurationPropertyName BACKEND = ConfigurationPropertyName.of("distlock.backend");

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		ConfigurationProperty property = cause.getProperty();
		if (property == null || !property.getName().equals(BACKEND)) {
			return null;
		}
		return new FailureAnalysis(
				"Property 'distlock.backend' is '" + property.getValue()
						+ "': this version of distlock has no such lock backend."
						+ InvalidPropertyFailureAnalyzer.origin(property),
				"Use one of: " + Backend.names()
						+ ". For any other store, define a LockBackend bean and remove the property.",
				cause);
	}

}
