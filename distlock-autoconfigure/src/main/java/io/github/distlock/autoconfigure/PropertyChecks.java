package io.github.distlock.autoconfigure;

import java.time.Duration;

/**
 * What a value of a property must be, and what to write instead.
 */
final class PropertyChecks {

	/** Far beyond any use, and within what nanoseconds in a long can say. */
	private static final Duration LONGEST = Duration.ofDays(36500);

	private PropertyChecks() {
	}

	static void prefix(String property, String value) {
		if (value.isBlank()) {
			throw new InvalidPropertyException(property, value,
					"a blank prefix mixes lock keys with all other keys of the store",
					"Remove the property to have the default, 'distlock:', or name your application");
		}
		if (value.indexOf('{') >= 0 || value.indexOf('}') >= 0) {
			throw new InvalidPropertyException(property, value,
					"braces in the prefix would put all locks into one cluster slot", "Remove '{' and '}' from it");
		}
		if (value.chars().anyMatch(Character::isISOControl)) {
			throw new InvalidPropertyException(property, value.replaceAll("\\p{Cntrl}", "?"),
					"it contains a control character (shown as ?)", "Remove line breaks, tabs and the like from it");
		}
	}

	static void atLeast(String property, Duration value, Duration least, String leastInWords, String remedy) {
		if (value.compareTo(least) < 0) {
			throw new InvalidPropertyException(property, inWords(value), "it must be at least " + leastInWords, remedy);
		}
		notTooLong(property, value, "Use a shorter one");
	}

	static void notLess(String property, Duration value, String otherProperty, Duration other) {
		if (value.compareTo(other) < 0) {
			throw new InvalidPropertyException(property, inWords(value),
					"it must not be shorter than '" + otherProperty + "', which is '" + inWords(other) + "'",
					"Raise the one or lower the other");
		}
		notTooLong(property, value, "Use a shorter one");
	}

	static void between(String property, int value, int least, int most, String remedy) {
		if (value < least || value > most) {
			throw new InvalidPropertyException(property, Integer.toString(value),
					"it must be from " + least + " to " + most, remedy);
		}
	}

	static void notMore(String property, Duration value, String otherProperty, Duration other) {
		if (value.compareTo(other) > 0) {
			throw new InvalidPropertyException(property, inWords(value),
					"it must not be longer than '" + otherProperty + "', which is '" + inWords(other) + "'",
					"Lower the one or raise the other");
		}
	}

	static void atMost(String property, Duration value, Duration most, String remedy) {
		if (value.compareTo(most) > 0) {
			throw new InvalidPropertyException(property, inWords(value), "it must be at most " + inWords(most), remedy);
		}
	}

	static void notTooLong(String property, Duration value, String remedy) {
		if (value.compareTo(LONGEST) > 0) {
			throw new InvalidPropertyException(property, inWords(value), "it is longer than a century", remedy);
		}
	}

	/** As a user would write it: 1500ms, 30s. */
	private static String inWords(Duration value) {
		if (value.getNano() % 1_000_000 != 0) {
			return value.toString();
		}
		return (value.getNano() == 0) ? value.toSeconds() + "s" : value.toMillis() + "ms";
	}

}
