package io.github.distlock.observation;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.github.distlock.LockOutcome;
import io.github.distlock.observation.LockObservationDocumentation.HighCardinalityKeyNames;
import io.github.distlock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;

/**
 * The default names and key values of one kind of observation.
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

	private static final String NONE = "none";

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
				KeyValue.of(LowCardinalityKeyNames.MODE, word(context.getMode())),
				KeyValue.of(LowCardinalityKeyNames.OUTCOME, outcome(context)),
				KeyValue.of(LowCardinalityKeyNames.EXCEPTION, exception(context)));
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

	private static String outcome(LockObservationContext context) {
		if (!context.isEnded()) {
			return NONE;
		}
		LockOutcome outcome = context.getOutcome();
		if (outcome != null) {
			return word(outcome);
		}
		if (context.isLost()) {
			return "lost";
		}
		return (context.getError() != null) ? "error" : "success";
	}

	private static String exception(LockObservationContext context) {
		Throwable error = context.getError();
		if (error == null) {
			return NONE;
		}
		String name = error.getClass().getSimpleName();
		return name.isEmpty() ? error.getClass().getName() : name;
	}

	private static String joined(List<?> values) {
		return values.stream().map(String::valueOf).collect(Collectors.joining(","));
	}

	private static String word(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
