package io.github.distlock.aop;

import java.time.Duration;
import java.util.regex.Pattern;

import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Parses {@code waitTime}, {@code leaseTime}, {@code minHold} and {@code keep}. Refuses a
 * number without a unit: some readers would take it for milliseconds, others for seconds.
 */
final class DurationAttribute {

	private static final String EXAMPLES = "such as \"500ms\", \"2s\", \"1m\" or \"PT2S\"";

	private static final Pattern BARE_NUMBER = Pattern.compile("[+-]?\\d+");

	private DurationAttribute() {
	}

	static @Nullable Duration waitTime(String value, LockedMethod method) {
		String text = value.trim();
		if (text.equals("0") || text.equals("-1")) {
			return text.equals("0") ? Duration.ZERO : LockRequest.FOREVER;
		}
		Duration duration = parse("waitTime", value, method,
				"; \"0\" tries once, \"-1\" waits without a limit and \"\" takes distlock.wait-time");
		if (duration != null && duration.isNegative()) {
			throw method.refuse("waitTime", value,
					"is negative: write \"-1\" to wait without a limit, \"0\" to try once, or a duration " + EXAMPLES);
		}
		return duration;
	}

	static @Nullable Duration leaseTime(String value, LockedMethod method) {
		String remedy = "; leave it out to let the watchdog renew the lease until the method returns";
		Duration duration = parse("leaseTime", value, method, remedy);
		if (duration != null && duration.compareTo(LockRequest.MINIMUM_LEASE) < 0) {
			throw method.refuse("leaseTime", value, "is shorter than the shortest lease, "
					+ LockRequest.MINIMUM_LEASE.toMillis() + "ms: write a longer duration " + EXAMPLES + remedy);
		}
		if (duration != null && duration.compareTo(LockRequest.MAXIMUM_LEASE) > 0) {
			throw method.refuse("leaseTime", value, "is longer than the longest lease, "
					+ LockRequest.MAXIMUM_LEASE.toDays() + " days: write a shorter duration " + EXAMPLES + remedy);
		}
		return duration;
	}

	static @Nullable Duration minHold(String value, @Nullable Duration leaseTime, LockedMethod method) {
		String remedy = "; leave it out to release the lock when the method returns";
		Duration duration = parse("minHold", value, method, remedy);
		if (duration != null && (duration.isNegative() || duration.isZero())) {
			throw method.refuse("minHold", value, "is not positive: write a duration " + EXAMPLES + remedy);
		}
		Duration longest = (leaseTime != null) ? leaseTime : LockRequest.MAXIMUM_LEASE;
		if (duration != null && duration.compareTo(longest) > 0) {
			throw method.refuse("minHold", value, "is longer than the longest time for which the lock is held, "
					+ longest + ": write a shorter duration, or a longer leaseTime");
		}
		return duration;
	}

	static @Nullable Duration keep(String value, LockedMethod method) {
		if (value.trim().equals("0")) {
			return Duration.ZERO;
		}
		String remedy = "; \"0\" never keeps the lock and \"\" takes distlock.handoff.keep";
		Duration duration = parse("keep", value, method, remedy);
		if (duration != null && (duration.compareTo(LockRequest.MINIMUM_KEEP) < 0
				|| duration.compareTo(LockRequest.MAXIMUM_KEEP) > 0)) {
			throw method.refuse("keep", value, "is not a time from " + LockRequest.MINIMUM_KEEP.toMillis() + "ms to "
					+ LockRequest.MAXIMUM_KEEP.toSeconds() + "s: write a duration such as \"5ms\"" + remedy);
		}
		return duration;
	}

	/** Return {@code null} for an attribute without a value. */
	private static @Nullable Duration parse(String attribute, String value, LockedMethod method, String remedy) {
		String text = value.trim();
		if (text.isEmpty()) {
			return null;
		}
		if (BARE_NUMBER.matcher(text).matches()) {
			if (text.startsWith("-")) {
				// A unit would not help: the caller refuses negative values.
				return LockRequest.FOREVER;
			}
			throw method.refuse(attribute, value,
					"has no unit: write \"" + text + "ms\" or \"" + text + "s\"" + remedy);
		}
		try {
			return DurationFormatterUtils.detectAndParse(text);
		}
		catch (IllegalArgumentException ex) {
			throw method.refuse(attribute, value,
					"is not a duration, or is too long: write a number and a unit without a space, " + EXAMPLES
							+ remedy,
					ex);
		}
	}

}
