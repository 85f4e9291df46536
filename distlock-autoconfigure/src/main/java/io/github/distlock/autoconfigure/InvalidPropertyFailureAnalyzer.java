package io.github.distlock.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * {@link AbstractFailureAnalyzer} for {@link InvalidPropertyException}. Reports the
 * property, the value, where it was set, and what to write instead.
 * <p>
 * It precedes the analyzers of Spring Boot, which only know that binding failed. A value
 * that cannot be converted, such as a malformed number, is left to them; an unknown
 * backend is left to {@link UnknownBackendFailureAnalyzer}.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class InvalidPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidPropertyException> {

	private final @Nullable Environment environment;

	InvalidPropertyFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidPropertyException cause) {
		return new FailureAnalysis(cause.getProblem() + "." + origin(find(cause.getProperty())),
				cause.getRemedy() + ".", cause);
	}

	private @Nullable ConfigurationProperty find(String name) {
		if (this.environment == null) {
			return null;
		}
		ConfigurationPropertyName propertyName = ConfigurationPropertyName.of(name);
		for (var source : ConfigurationPropertySources.get(this.environment)) {
			ConfigurationProperty property = source.getConfigurationProperty(propertyName);
			if (property != null) {
				return property;
			}
		}
		return null;
	}

	static String origin(@Nullable ConfigurationProperty property) {
		return (property != null && property.getOrigin() != null) ? " It was set in " + property.getOrigin() + "." : "";
	}

}
