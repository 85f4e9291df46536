package io.github.distlock.testing;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Leaves out Spring Boot's auto-configuration of Spring Security, which would secure the
 * applications of all tests, unless the property {@code test.security} is true.
 */
public final class SecurityImportFilter implements AutoConfigurationImportFilter, EnvironmentAware {

	private static final String SECURITY = "org.springframework.boot.security.autoconfigure.";

	private boolean secured;

	@Override
	public void setEnvironment(Environment environment) {
		this.secured = environment.getProperty("test.security", Boolean.class, false);
	}

	@Override
	public boolean[] match(@Nullable String[] names, AutoConfigurationMetadata metadata) {
		boolean[] matches = new boolean[names.length];
		for (int i = 0; i < names.length; i++) {
			String name = names[i];
			matches[i] = this.secured || name == null || !name.startsWith(SECURITY);
		}
		return matches;
	}

}
