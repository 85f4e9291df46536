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
 * Says which property of ours has which bad value, where it was set, and what to write
 * instead. Before Spring Boot's own analyzers, which see no more than that binding
 * failed. What is no duration, number or the like is left to them; a store that nobody
 * knows to {@link UnknownBackendFailureAnalyzer}.
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
