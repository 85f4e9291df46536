package io.github.distlock.metrics;

import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * The meters of one store, whatever the lock.
 */
record StoreMeters(AtomicInteger held, AtomicInteger waiting, Counter localHandOffs, Counter remoteHandOffs,
		Counter renewed, Counter gone, Counter failed, Timer lateness, Counter resubscriptions) {

	static StoreMeters register(MeterRegistry registry, String backend) {
		return new StoreMeters(gauge(registry, LockMeters.HELD, backend), gauge(registry, LockMeters.WAITING, backend),
				counter(registry, LockMeters.HANDOFFS, backend, LockMeters.Tags.TYPE, "local"),
				counter(registry, LockMeters.HANDOFFS, backend, LockMeters.Tags.TYPE, "remote"),
				counter(registry, LockMeters.RENEWALS, backend, LockMeters.Tags.OUTCOME, "renewed"),
				counter(registry, LockMeters.RENEWALS, backend, LockMeters.Tags.OUTCOME, "gone"),
				counter(registry, LockMeters.RENEWALS, backend, LockMeters.Tags.OUTCOME, "failed"),
				Timer.builder(LockMeters.RENEWAL_LATENESS.getName())
					.description(LockMeters.RENEWAL_LATENESS.getDescription())
					.tag(LockMeters.Tags.BACKEND.asString(), backend)
					.register(registry),
				Counter.builder(LockMeters.RESUBSCRIPTIONS.getName())
					.description(LockMeters.RESUBSCRIPTIONS.getDescription())
					.tag(LockMeters.Tags.BACKEND.asString(), backend)
					.register(registry));
	}

	private static AtomicInteger gauge(MeterRegistry registry, LockMeters meter, String backend) {
		AtomicInteger value = new AtomicInteger();
		Gauge.builder(meter.getName(), value, AtomicInteger::get)
			.description(meter.getDescription())
			.tag(LockMeters.Tags.BACKEND.asString(), backend)
			.register(registry);
		return value;
	}

	private static Counter counter(MeterRegistry registry, LockMeters meter, String backend, LockMeters.Tags tag,
			String value) {
		return Counter.builder(meter.getName())
			.description(meter.getDescription())
			.tag(LockMeters.Tags.BACKEND.asString(), backend)
			.tag(tag.asString(), value)
			.register(registry);
	}

}
