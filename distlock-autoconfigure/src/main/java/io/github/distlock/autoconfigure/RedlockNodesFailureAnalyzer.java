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
 * {@link AbstractFailureAnalyzer} for nodes of Redlock that are written as a text. Unlike
 * the analyzer of Spring Boot, it does not show the value, which may contain a password.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class RedlockNodesFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

	private static final ConfigurationPropertyName NODES = ConfigurationPropertyName.of("distlock.redlock.nodes");

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		ConfigurationProperty property = cause.getProperty();
		if (property == null || !(property.getName().equals(NODES) || NODES.isParentOf(property.getName()))) {
			return null;
		}
		return new FailureAnalysis(
				"Property '" + property.getName() + "' is a text, but a node consists of properties of its own."
						+ InvalidPropertyFailureAnalyzer.origin(property),
				"Write " + NODES + "[0].url=redis://user:password@host:port, or .host, .port, .username and .password,"
						+ " and the same for each further node.",
				cause);
	}

}
