package io.github.distlock.observation;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.github.distlock.observation.LockObservationDocumentation.HighCardinalityKeyNames;
import io.github.distlock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * The default names and key values of one kind of observation.
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

	private final LockObservationDocumentation kind;

	private final boolean keys;

	/**
	 * Create a convention.
	 * @param kind the observations that it names
	 * @param keys whether keys and fencing tokens are shown
	 */
	public DefaultLockObservationConvention(LockObservationDocumentation kind, boolean keys) {
		this.kind = kind;
		this.keys = keys;
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext lock && lock.getKind() == this.kind;
	}

	@Override
	public String getName() {
		return this.kind.getName();
	}

	@Override
	public String getContextualName(LockObservationContext context) {
		return this.kind.verb() + " " + context.getLockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		return KeyValues.of(KeyValue.of(LowCardinalityKeyNames.NAME, context.getLockName()),
				KeyValue.of(LowCardinalityKeyNames.BACKEND, context.getBackend()),
				KeyValue.of(LowCardinalityKeyNames.MODE, context.getMode().name().toLowerCase(Locale.ROOT)),
				KeyValue.of(LowCardinalityKeyNames.OUTCOME, context.getOutcome()),
				KeyValue.of(LowCardinalityKeyNames.EXCEPTION, exception(context.getError())));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		if (!this.keys) {
			return KeyValues.empty();
		}
		KeyValues values = KeyValues.of(KeyValue.of(HighCardinalityKeyNames.KEY, joined(context.getKeys())));
		List<Long> tokens = context.getFencingTokens();
		return tokens.isEmpty() ? values
				: values.and(KeyValue.of(HighCardinalityKeyNames.FENCING_TOKEN, joined(tokens)));
	}

	private static String exception(@Nullable Throwable error) {
		if (error == null) {
			return "none";
		}
		String name = error.getClass().getSimpleName();
		return name.isEmpty() ? error.getClass().getName() : name;
	}

	private static String joined(List<?> values) {
		return values.stream().map(String::valueOf).collect(Collectors.joining(","));
	}

}
