package io.github.distlock.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

import io.github.distlock.backend.LockKeys;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.Environment;
import org.springframework.core.io.UrlResource;

/**
 * Checks values of properties. A violation is reported with the value, the problem and
 * the remedy.
 */
final class PropertyChecks {

	/** What a property of Spring Boot with the same name configures. */
	private static final Pattern SERVER = Pattern.compile(
			"distlock\\.(redis|jdbc)\\.(url|host|port|username|password|database|(ssl|sentinel|cluster|driver).*)");

	private static final Log logger = LogFactory.getLog(PropertyChecks.class);

	private PropertyChecks() {
	}

	/**
	 * Warn of each property that distlock does not have. Of the environment and the
	 * system properties only servers count, since other programs have variables there:
	 * Kubernetes sets {@code DISTLOCK_REDIS_PORT} for a service 'distlock-redis'.
	 */
	static void warnOfUnknown(Environment environment, Log logger) {
		String metadata = metadata();
		UnboundElementsSourceFilter own = new UnboundElementsSourceFilter();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			// An application that is packed into one jar may have other metadata there.
			if (source instanceof IterableConfigurationPropertySource names && metadata.contains("\"distlock\"")) {
				names.stream()
					.map(ConfigurationPropertyName::toString)
					// Dashes do not count, and the metadata names a list without an
					// index.
					.filter((name) -> name.startsWith("distlock.")
							&& !metadata.replace("-", "").contains('"' + name.replaceAll("\\[.*|-", "") + '"')
							&& (own.apply(source) || SERVER.matcher(name).matches() && !name.endsWith(".port")))
					.forEach((name) -> logger.warn("Property '" + name + "' has no effect: " + successor(metadata, name)
							+ "'." + DistlockFailureAnalyzer.origin(environment, name)));
			}
		}
	}

	/** Return the metadata beside the resources of the library, empty in an image. */
	private static String metadata() {
		String script = "io/github/distlock/backend/redis/attempt.lua";
		String address = String.valueOf(DistlockProperties.class.getResource("/" + script));
		try {
			return new UrlResource(address.replace(script, "META-INF/spring-configuration-metadata.json"))
				.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			return "";
		}
	}

	/** The nearest property is one with the longest start in common. */
	private static String successor(String metadata, String name) {
		if (SERVER.matcher(name).matches()) {
			return "the server is configured with '"
					+ name.replace("distlock.redis", "spring.data.redis").replace("distlock.jdbc", "spring.datasource");
		}
		int nearest = metadata.indexOf('"' + name) + 1;
		return (nearest == 0) ? successor(metadata, name.substring(0, name.length() - 1))
				: "distlock has no such property. The nearest is '"
						+ metadata.substring(nearest, metadata.indexOf('"', nearest));
	}

	/** Reject a value of a property unless it is valid. */
	static void check(boolean valid, String property, Object value, String problem, String remedy) {
		if (!valid) {
			throw invalid(property, (value instanceof Duration duration) ? format(duration) : value, problem, remedy);
		}
	}

	/** Create the exception for a value that must not be used. */
	static StartUpException invalid(String property, Object value, String problem, String remedy) {
		return new StartUpException("Property '" + property + "' is '" + value + "': " + problem + ".", remedy + ".",
				property, null);
	}

	static void prefix(String property, String value) {
		check(!value.isBlank(), property, value, "a blank prefix mixes lock keys with all other keys of the store",
				"Remove the property to use the default, 'distlock:', or set a prefix with the name of your application");
		check(value.indexOf('{') < 0 && value.indexOf('}') < 0, property, value,
				"braces in the prefix would put all locks into one cluster slot", "Remove '{' and '}' from it");
		String printable = LockKeys.printable(value);
		check(printable.equals(value), property, printable, "it contains a control character (shown as ?)",
				"Remove line breaks, tabs and other control characters from it");
	}

	/** Check a part of an SQL identifier. */
	static void name(String property, String value, String remedy) {
		check(value.matches("[A-Za-z0-9_]+"), property, value, "only letters, digits and underscores are allowed",
				remedy);
	}

	/** Check a duration that has a default. */
	static void atLeastMillis(String property, Duration value, long least, String defaultValue) {
		atLeast(property, value, Duration.ofMillis(least),
				"Set a longer duration, or remove the property to use the default, " + defaultValue);
	}

	static void atLeast(String property, Duration value, Duration least, String remedy) {
		check(value.compareTo(least) >= 0, property, value, "it must be at least " + format(least), remedy);
	}

	static void notLess(String property, Duration value, String otherProperty, Duration other) {
		check(value.compareTo(other) >= 0, property, value,
				"it must not be shorter than '" + otherProperty + "', which is '" + format(other) + "'",
				"Increase the first or decrease the second");
	}

	/**
	 * Check how long a store may be silent while leases are renewed. Explicit leases do
	 * not count: no late answer to a renewal can end them.
	 */
	static void ofLease(String property, Duration silence, Duration lease) {
		String remedy = "Set a sixth of that at most, or increase distlock.lease-time";
		check(silence.compareTo(lease.dividedBy(3)) < 0, property, silence,
				"it must be shorter than a third of 'distlock.lease-time', which is '" + format(lease)
						+ "', or a short silence of the store costs all locks",
				remedy);
		if (silence.compareTo(lease.dividedBy(6)) > 0) {
			logger.warn("Property '" + property + "' is '" + format(silence) + "', and 'distlock.lease-time' is '"
					+ format(lease) + "': a short silence of the store may cost all locks. " + remedy);
		}
	}

	static void between(String property, int value, int least, int most, String remedy) {
		check(value >= least && value <= most, property, value, "it must be from " + least + " to " + most, remedy);
	}

	static void atMost(String property, Duration value, Duration most, String remedy) {
		check(value.compareTo(most) <= 0, property, value, "it must be at most " + format(most), remedy);
	}

	/** Format a duration as in a properties file: 1500ms, 30s. */
	private static String format(Duration value) {
		return DurationStyle.SIMPLE.print(value, (value.getNano() == 0) ? ChronoUnit.SECONDS : ChronoUnit.MILLIS);
	}

}
