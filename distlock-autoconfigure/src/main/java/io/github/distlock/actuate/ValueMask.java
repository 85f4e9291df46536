package io.github.distlock.actuate;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/**
 * Replaces keys, hosts and callers for one caller of the endpoint. The values are offered
 * to the sanitizing functions of the application under the names below.
 *
 * @param sanitizer masks all values, or those that a function of the application masks
 * @param shown whether the caller may see values
 */
record ValueMask(Sanitizer sanitizer, boolean shown) {

	static final String KEY = "distlocks.key";

	static final String HOST = "distlocks.host";

	static final String CALLER = "distlocks.caller";

	String key(String key) {
		return Objects.requireNonNull(mask(KEY, key));
	}

	/** Return whether this caller does not see a key. */
	boolean hides(String key) {
		return !this.shown || !key.equals(key(key));
	}

	@Nullable String mask(String name, @Nullable String value) {
		if (value == null) {
			return null;
		}
		Object masked = this.sanitizer.sanitize(new SanitizableData(null, name, value), this.shown);
		return (masked != null) ? masked.toString() : SanitizableData.SANITIZED_VALUE;
	}

}
