package io.github.distlock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and key values of the observations. A bean of this type, or a
 * {@link io.micrometer.observation.GlobalObservationConvention}, replaces
 * {@link DefaultLockObservationConvention} for the contexts that it supports; it names
 * what it supports, so one convention is for one kind of observation.
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

}
