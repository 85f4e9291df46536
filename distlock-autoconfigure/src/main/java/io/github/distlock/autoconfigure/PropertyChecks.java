package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import io.github.distlock.backend.LockKeys;

import org.springframework.boot.convert.DurationStyle;

/**
 * Checks values of properties. A violation is reported with the value, the problem and
 * the remedy.
 */
final class PropertyChecks {

	private PropertyChecks() {
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
