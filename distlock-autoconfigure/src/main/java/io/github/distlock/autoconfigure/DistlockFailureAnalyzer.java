package io.github.distlock.autoconfigure;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.backend.StoreUnusableException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * {@link AbstractFailureAnalyzer} for all failures of the start that distlock causes:
 * wrong properties, backends and stores, and locks that cannot work as they are written.
 * <p>
 * It precedes the analyzers of Spring Boot, which only know that binding failed. A value
 * that cannot be converted, such as a malformed number or an unknown backend, is left to
 * them.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class DistlockFailureAnalyzer extends AbstractFailureAnalyzer<Throwable> {

	private final @Nullable Environment environment;

	DistlockFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, Throwable cause) {
		StartUpException failure = findCause(rootFailure, StartUpException.class);
		if (failure != null) {
			return new FailureAnalysis(failure.getDescription() + origin(this.environment, failure.getProperty()),
					failure.getAction(), failure);
		}
		LockDefinitionException definition = findCause(rootFailure, LockDefinitionException.class);
		if (definition != null) {
			return new FailureAnalysis(String.valueOf(definition.getMessage()),
					"Correct the @DistributedLock annotation or the LockRequest as described. "
							+ "Otherwise each call would fail.",
					definition);
		}
		StoreUnusableException unusable = findCause(rootFailure, StoreUnusableException.class);
		return (unusable == null) ? null : new FailureAnalysis(String.valueOf(unusable.getMessage()),
				"Correct this as described. Or set distlock.enabled=false to run without locks.", unusable);
	}

	/**
	 * Return a sentence that says where a property was set, empty if that is not known.
	 */
	static String origin(@Nullable Environment environment, @Nullable String property) {
		if (property == null || environment == null) {
			return "";
		}
		ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			Origin origin = Origin.from(source.getConfigurationProperty(name));
			if (origin != null) {
				return " It was set in " + origin + ".";
			}
		}
		return "";
	}

}
