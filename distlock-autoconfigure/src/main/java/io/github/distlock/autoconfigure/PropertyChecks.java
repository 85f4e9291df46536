package io.github.distlock.autoconfigure;

import java.time.Duration;

import io.github.distlock.backend.LockKeys;

/**
 * Checks values of properties. A violation is reported with the value, the problem and
 * the remedy.
 */
final class PropertyChecks {

	/** Far beyond any use, and within the range of nanoseconds in a {@code long}. */
	private static final Duration LONGEST = Duration.ofDays(36500);

	private PropertyChecks() {
	}

	static void prefix(String property, String value) {
		if (value.isBlank()) {
			throw new InvalidPropertyException(property, value,
					"a blank prefix mixes lock keys with all other keys of the store",
					"Remove the property to use the default, 'distlock:', or set a prefix with the name of your application");
		}
		if (value.indexOf('{') >= 0 || value.indexOf('}') >= 0) {
			throw new InvalidPropertyException(property, value,
					"braces in the prefix would put all locks into one cluster slot", "Remove '{' and '}' from it");
		}
		String printable = LockKeys.printable(value);
		if (!printable.equals(value)) {
			throw new InvalidPropertyException(property, printable, "it contains a control character (shown as ?)",
					"Remove line breaks, tabs and other control characters from it");
		}
	}

	/** Check a part of an SQL identifier. */
	static void name(String property, String value, String remedy) {
		if (!value.matches("[A-Za-z0-9_]+")) {
			throw new InvalidPropertyException(property, value, "only letters, digits and underscores are allowed",
					remedy);
		}
	}

	static void atLeast(String property, Duration value, Duration least, String formattedLeast, String remedy) {
		if (value.compareTo(least) < 0) {
			throw new InvalidPropertyException(property, format(value), "it must be at least " + formattedLeast,
					remedy);
		}
		notTooLong(property, value, "Use a shorter duration");
	}

	static void notLess(String property, Duration value, String otherProperty, Duration other) {
		if (value.compareTo(other) < 0) {
			throw new InvalidPropertyException(property, format(value),
					"it must not be shorter than '" + otherProperty + "', which is '" + format(other) + "'",
					"Increase the first or decrease the second");
		}
		notTooLong(property, value, "Use a shorter duration");
	}

	static void between(String property, int value, int least, int most, String remedy) {
		if (value < least || value > most) {
			throw new InvalidPropertyException(property, Integer.toString(value),
					"it must be from " + least + " to " + most, remedy);
		}
	}

	static void notMore(String property, Duration value, String otherProperty, Duration other) {
		if (value.compareTo(other) > 0) {
			throw new InvalidPropertyException(property, format(value),
					"it must not be longer than '" + otherProperty + "', which is '" + format(other) + "'",
					"Decrease the first or increase the second");
		}
	}

	static void atMost(String property, Duration value, Duration most, String remedy) {
		if (value.compareTo(most) > 0) {
			throw new InvalidPropertyException(property, format(value), "it must be at most " + format(most), remedy);
		}
	}

	static void notTooLong(String property, Duration value, String remedy) {
		if (value.compareTo(LONGEST) > 0) {
			throw new InvalidPropertyException(property, format(value), "it is longer than a century", remedy);
		}
	}

	/** Format a duration as in a properties file: 1500ms, 30s. */
	private static String format(Duration value) {
		if (value.getNano() % 1_000_000 != 0) {
			return value.toString();
		}
		return (value.getNano() == 0) ? value.toSeconds() + "s" : value.toMillis() + "ms";
	}

}
