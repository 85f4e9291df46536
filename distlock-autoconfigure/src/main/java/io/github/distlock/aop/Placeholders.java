package io.github.distlock.aop;

import io.github.distlock.LockDefinitionException;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Resolves <code>${...}</code> in attributes, strictly: a placeholder that nobody knows
 * would otherwise become part of a key.
 */
final class Placeholders {

	private final Environment environment;

	private final ConfigurableBeanFactory beanFactory;

	Placeholders(Environment environment, ConfigurableBeanFactory beanFactory) {
		this.environment = environment;
		this.beanFactory = beanFactory;
	}

	String resolve(String attribute, String value, LockedMethod where) {
		if (!value.contains("${")) {
			return value;
		}
		try {
			return this.environment.resolveRequiredPlaceholders(value);
		}
		catch (IllegalArgumentException ex) {
			return resolveLocally(attribute, value, where, ex);
		}
	}

	/**
	 * A PropertySourcesPlaceholderConfigurer may know properties that the environment
	 * does not.
	 */
	private String resolveLocally(String attribute, String value, LockedMethod where, IllegalArgumentException first) {
		LockDefinitionException refusal = where.refuse(attribute, value, "has a placeholder that cannot be resolved ("
				+ first.getMessage() + "): set the property, or give a default as in ${name:default}", first);
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(value);
			if (resolved == null || resolved.contains("${")) {
				throw refusal;
			}
			return resolved;
		}
		catch (IllegalArgumentException ex) {
			throw refusal;
		}
	}

}
