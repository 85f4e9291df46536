package io.github.distlock.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * The meters of the locks that share one label in one store.
 */
record LabelMeters(Timer hold, Counter lost) {

	static LabelMeters register(MeterRegistry registry, String name, String backend) {
		Timer hold = Timer.builder(LockMeters.HOLD.getName())
			.description(LockMeters.HOLD.getDescription())
			.tag(LockMeters.Tags.NAME.asString(), name)
			.tag(LockMeters.Tags.BACKEND.asString(), backend)
			.register(registry);
		Counter lost = Counter.builder(LockMeters.LOST.getName())
			.description(LockMeters.LOST.getDescription())
			.tag(LockMeters.Tags.NAME.asString(), name)
			.tag(LockMeters.Tags.BACKEND.asString(), backend)
			.register(registry);
		return new LabelMeters(hold, lost);
	}

}
