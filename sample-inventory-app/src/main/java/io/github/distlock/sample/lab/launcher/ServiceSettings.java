package io.github.distlock.sample.lab.launcher;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The Spring properties that the services get from the launcher, and whether they name a
 * Redis or a database of the user's. They travel as environment variables: a password
 * does not show in a process list there.
 */
final class ServiceSettings {

	private static final List<String> REDIS = List.of("host", "port", "url", "sentinel", "cluster", "masterreplica")
		.stream()
		.map((name) -> variable("spring.data.redis." + name))
		.toList();

	private static final List<String> DATABASE = List.of("url", "jndi-name")
		.stream()
		.map((name) -> variable("spring.datasource." + name))
		.toList();

	private final Map<String, String> variables = new TreeMap<>();

	private final Collection<String> inherited;

	/**
	 * Collect the settings; the command line wins over system properties, which win over
	 * the environment.
	 * @param arguments properties of the command line
	 * @param system the system properties
	 * @param environment the environment, which the services inherit
	 */
	ServiceSettings(Map<String, String> arguments, Properties system, Map<String, String> environment) {
		Map<String, String> properties = new LinkedHashMap<>();
		system.stringPropertyNames()
			.stream()
			.filter(Options::isHandedOn)
			.forEach((name) -> properties.put(name, system.getProperty(name, "")));
		properties.putAll(arguments);
		properties.forEach(this::put);
		this.inherited = environment.keySet();
	}

	boolean hasRedis() {
		return has(REDIS);
	}

	boolean hasDatabase() {
		return has(DATABASE);
	}

	/**
	 * Set a property.
	 * @param name its name
	 * @param value its value
	 */
	void put(String name, String value) {
		this.variables.put(variable(name), value);
	}

	/**
	 * Set a property, unless the user has.
	 * @param name its name
	 * @param value its value
	 */
	void putIfAbsent(String name, String value) {
		if (!this.inherited.contains(variable(name))) {
			this.variables.putIfAbsent(variable(name), value);
		}
	}

	/**
	 * Whether properties are set, and so.
	 * @param properties values by name
	 */
	boolean contain(Map<String, String> properties) {
		return properties.entrySet()
			.stream()
			.allMatch((entry) -> entry.getValue().equals(this.variables.get(variable(entry.getKey()))));
	}

	/**
	 * Return the variables to add to a service's environment.
	 * @return variables by name
	 */
	Map<String, String> variables() {
		return Map.copyOf(this.variables);
	}

	private boolean has(List<String> prefixes) {
		return prefixes.stream()
			.anyMatch((prefix) -> this.variables.keySet().stream().anyMatch((name) -> name.startsWith(prefix))
					|| this.inherited.stream().anyMatch((name) -> name.startsWith(prefix)));
	}

	/**
	 * Name a property's environment variable as Spring Boot's relaxed binding reads it.
	 */
	private static String variable(String property) {
		return property.replace("-", "").replace("[", ".").replace("]", "").replace('.', '_').toUpperCase(Locale.ROOT);
	}

}
