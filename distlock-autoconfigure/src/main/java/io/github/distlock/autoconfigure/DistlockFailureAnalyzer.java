package io.github.distlock.autoconfigure;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * {@link AbstractFailureAnalyzer} for all failures of the start that distlock causes:
 * wrong properties and backends, and locks that cannot work as they are written.
 * <p>
 * It precedes the analyzers of Spring Boot, which only know that binding failed. A value
 * that cannot be converted, such as a malformed number, is left to them.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class DistlockFailureAnalyzer extends AbstractFailureAnalyzer<Throwable> {

	private static final ConfigurationPropertyName BACKEND = ConfigurationPropertyName.of("distlock.backend");

	private static final ConfigurationPropertyName NODES = ConfigurationPropertyName.of("distlock.redlock.nodes");

	private final @Nullable Environment environment;

	DistlockFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, Throwable cause) {
		StartUpException failure = findCause(rootFailure, StartUpException.class);
		if (failure != null) {
			return new FailureAnalysis(failure.getDescription() + origin(failure.getProperty()), failure.getAction(),
					failure);
		}
		LockDefinitionException definition = findCause(rootFailure, LockDefinitionException.class);
		if (definition != null) {
			return new FailureAnalysis(String.valueOf(definition.getMessage()),
					"Correct the @DistributedLock annotation or the LockRequest as described. "
							+ "Otherwise each call would fail.",
					definition);
		}
		BindException binding = findCause(rootFailure, BindException.class);
		ConfigurationProperty property = (binding != null) ? binding.getProperty() : null;
		return (property != null) ? analyze(property, rootFailure) : null;
	}

	private @Nullable FailureAnalysis analyze(ConfigurationProperty property, Throwable failure) {
		ConfigurationPropertyName name = property.getName();
		if (name.equals(BACKEND)) {
			return new FailureAnalysis(
					"Property 'distlock.backend' is '" + property.getValue()
							+ "': this version of distlock has no such lock backend." + origin("distlock.backend"),
					"Use one of: " + Backend.names()
							+ ". For any other store, define a LockBackend bean and remove the property.",
					failure);
		}
		if (name.equals(NODES) || NODES.isParentOf(name)) {
			// Does not show the value, which may contain a password.
			return new FailureAnalysis(
					"Property '" + name + "' is a text, but a node consists of properties of its own."
							+ origin(name.toString()),
					"Write " + NODES + "[0].url=redis://user:password@host:port, or .host, .port, .username and "
							+ ".password, and the same for each further node.",
					failure);
		}
		return null;
	}

	private String origin(@Nullable String property) {
		if (property == null || this.environment == null) {
			return "";
		}
		ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			ConfigurationProperty found = source.getConfigurationProperty(name);
			if (found != null && found.getOrigin() != null) {
				return " It was set in " + found.getOrigin() + ".";
			}
		}
		return "";
	}

}
