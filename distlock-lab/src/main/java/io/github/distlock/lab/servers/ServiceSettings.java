package io.github.distlock.lab.servers;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

import io.github.distlock.lab.processes.ParentWatch;

/**
 * The Spring properties that the services get from the launcher, and whether they name a
 * Redis or a database of the user's. They travel as environment variables: a password
 * does not show in a process list there.
 */
public final class ServiceSettings {

	private static final List<String> PASSED_ON = List.of("spring.", "distlock.", "management.", "logging.", "sample.",
			"shop.");

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
	public ServiceSettings(Map<String, String> arguments, Properties system, Map<String, String> environment) {
		Map<String, String> properties = new LinkedHashMap<>();
		system.stringPropertyNames()
			.stream()
			.filter(ServiceSettings::isPassedOn)
			.forEach((name) -> properties.put(name, system.getProperty(name, "")));
		properties.putAll(arguments);
		properties.forEach(this::put);
		this.inherited = environment.keySet();
	}

	/**
	 * Return whether a property is meant for the services.
	 * @param name a property's name
	 */
	public static boolean isPassedOn(String name) {
		return PASSED_ON.stream().anyMatch(name::startsWith) && !name.equals(ParentWatch.PROPERTY);
	}

	/**
	 * Return whether the user has named a Redis.
	 */
	public boolean hasRedis() {
		return has(REDIS);
	}

	/**
	 * Return whether the user has named a database.
	 */
	public boolean hasDatabase() {
		return has(DATABASE);
	}

	/**
	 * Set a property.
	 * @param name its name
	 * @param value its value
	 */
	public void put(String name, String value) {
		this.variables.put(variable(name), value);
	}

	/**
	 * Set a property, unless the user has.
	 * @param name its name
	 * @param value its value
	 */
	public void putIfAbsent(String name, String value) {
		if (!this.inherited.contains(variable(name))) {
			this.variables.putIfAbsent(variable(name), value);
		}
	}

	/**
	 * Whether properties are set, and so.
	 * @param properties values by name
	 */
	public boolean contain(Map<String, String> properties) {
		return properties.entrySet()
			.stream()
			.allMatch((entry) -> entry.getValue().equals(this.variables.get(variable(entry.getKey()))));
	}

	/**
	 * Return the variables to add to a service's environment.
	 * @return variables by name
	 */
	public Map<String, String> variables() {
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
