package io.github.distlock.metrics;

import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.github.distlock.HandOff;
import io.github.distlock.LockListener;
import io.github.distlock.LockOutcome;
import io.github.distlock.registry.RegistrySnapshot.HoldSummary;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;

/**
 * Records lock events as the meters that {@link LockMeters} describes. Thread-safe and
 * fast. Each meter is looked up once and kept, so the number of labels should be small.
 */
public final class LockMetrics implements LockListener {

	private static final List<LockOutcome> EXPECTED = List.of(LockOutcome.ACQUIRED, LockOutcome.TIMEOUT,
			LockOutcome.SKIPPED, LockOutcome.BACKEND_ERROR);

	private final MeterRegistry registry;

	private final Map<String, StoreMeters> stores = new ConcurrentHashMap<>();

	private final Map<LabelTags, LabelMeters> labels = new ConcurrentHashMap<>();

	/** How to read the gauges of held locks, by store. */
	private final Map<String, Supplier<HoldSummary>> holds = new ConcurrentHashMap<>();

	/**
	 * Create the listener. The meters of a store are registered with its first event, or
	 * by {@link #watchHolds}.
	 * @param registry where to register the meters
	 */
	public LockMetrics(MeterRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Register the meters of a lock before its first event, with the value zero. Of the
	 * outcomes of acquisitions, only those that dashboards and alerts use.
	 * @param name label of the lock
	 * @param backend name of the store
	 */
	public void expect(String name, String backend) {
		LabelTags label = new LabelTags(name, backend);
		EXPECTED.forEach((outcome) -> attempts(label, outcome));
	}

	/**
	 * Register the meters of a store, with the value zero, so that a dashboard shows them
	 * before the first event, and the gauges of the locks that are held in it.
	 * @param backend name of the store
	 * @param source called whenever a gauge is read
	 */
	public void watchHolds(String backend, Supplier<HoldSummary> source) {
		store(backend);
		if (this.holds.putIfAbsent(backend, source) == null) {
			registerGauge(LockMeters.AT_RISK, backend, () -> source.get().atRisk());
		}
	}

	/**
	 * Register the counters of a fence.
	 * @param outcomes the numbers by outcome
	 */
	public void watchFence(Map<String, AtomicLong> outcomes) {
		outcomes.forEach(
				(outcome, count) -> FunctionCounter.builder(LockMeters.FENCE.getName(), count, AtomicLong::doubleValue)
					.description(LockMeters.FENCE.getDescription())
					.tags(LockMeters.FENCE.tags(outcome))
					.register(this.registry));
	}

	private void registerGauge(LockMeters meter, String backend, Supplier<Number> value) {
		Gauge.builder(meter.getName(), value)
			.description(meter.getDescription())
			.tags(meter.tags(backend))
			.register(this.registry);
	}

	/** Read from the source that is known when the gauge is read. */
	private Number longest(LabelTags label) {
		Supplier<HoldSummary> source = this.holds.get(label.backend());
		return (source != null) ? source.get().longest().getOrDefault(label.name(), Duration.ZERO).toNanos() : 0;
	}

	@Override
	public void onWaiting(Waiting event) {
		store(event.backend()).waiting().incrementAndGet();
	}

	@Override
	public void onWaitingEnded(Waiting event) {
		store(event.backend()).waiting().decrementAndGet();
	}

	@Override
	public void onAttempted(Attempted event) {
		// Also registers the counter of losses, so that it starts at zero.
		attempts(new LabelTags(event.name(), event.backend()), event.outcome()).record(event.waited());
		if (event.outcome() == LockOutcome.ACQUIRED) {
			StoreMeters store = store(event.backend());
			store.held().incrementAndGet();
			Counter handOffs = store.handOffs().get(event.handOff());
			if (handOffs != null) {
				handOffs.increment();
			}
		}
	}

	@Override
	public void onReleased(Released event) {
		store(event.backend()).held().decrementAndGet();
		label(new LabelTags(event.name(), event.backend())).hold().record(event.held());
	}

	@Override
	public void onLost(Lost event) {
		LabelMeters label = label(new LabelTags(event.name(), event.backend()));
		if (!event.released()) {
			store(event.backend()).held().decrementAndGet();
			label.hold().record(event.held());
		}
		label.lost().increment();
	}

	@Override
	public void onRenewed(Renewed event) {
		StoreMeters store = store(event.backend());
		store.renewed().increment(event.renewed());
		store.gone().increment(event.gone());
		store.failed().increment(event.failed());
		store.lateness().record(event.lateness());
	}

	@Override
	public void onResubscribed(Resubscribed event) {
		store(event.backend()).resubscriptions().increment();
	}

	private StoreMeters store(String backend) {
		return this.stores.computeIfAbsent(backend, this::registerStore);
	}

	private LabelMeters label(LabelTags label) {
		return this.labels.computeIfAbsent(label, this::registerLabel);
	}

	private Timer attempts(LabelTags label, LockOutcome attempt) {
		return label(label).attempts()
			.computeIfAbsent(attempt,
					(outcome) -> timer(LockMeters.ACQUIRE, label.name(), label.backend(), tag(outcome)));
	}

	private static String tag(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	private LabelMeters registerLabel(LabelTags label) {
		TimeGauge.builder(LockMeters.HOLD_LONGEST.getName(), () -> longest(label), TimeUnit.NANOSECONDS)
			.description(LockMeters.HOLD_LONGEST.getDescription())
			.tags(LockMeters.HOLD_LONGEST.tags(label.name(), label.backend()))
			.register(this.registry);
		return new LabelMeters(timer(LockMeters.HOLD, label.name(), label.backend()),
				counter(LockMeters.LOST, label.name(), label.backend()), new ConcurrentHashMap<>());
	}

	private StoreMeters registerStore(String backend) {
		AtomicInteger held = new AtomicInteger();
		AtomicInteger waiting = new AtomicInteger();
		registerGauge(LockMeters.HELD, backend, () -> held);
		registerGauge(LockMeters.WAITING, backend, () -> waiting);
		Map<HandOff, Counter> handOffs = new EnumMap<>(HandOff.class);
		for (HandOff handOff : EnumSet.complementOf(EnumSet.of(HandOff.NONE))) {
			handOffs.put(handOff, counter(LockMeters.HANDOFFS, backend, tag(handOff)));
		}
		return new StoreMeters(held, waiting, handOffs, counter(LockMeters.RENEWALS, backend, "renewed"),
				counter(LockMeters.RENEWALS, backend, "gone"), counter(LockMeters.RENEWALS, backend, "failed"),
				timer(LockMeters.RENEWAL_LATENESS, backend), counter(LockMeters.RESUBSCRIPTIONS, backend));
	}

	private Timer timer(LockMeters meter, String... tagValues) {
		return Timer.builder(meter.getName())
			.description(meter.getDescription())
			.tags(meter.tags(tagValues))
			.register(this.registry);
	}

	private Counter counter(LockMeters meter, String... tagValues) {
		return Counter.builder(meter.getName())
			.description(meter.getDescription())
			.tags(meter.tags(tagValues))
			.register(this.registry);
	}

	private record LabelTags(String name, String backend) {
	}

	/** Meters of the locks with the same label in one store. */
	private record LabelMeters(Timer hold, Counter lost, Map<LockOutcome, Timer> attempts) {
	}

	/** Meters of one store, for all of its locks. {@link HandOff#NONE} has no counter. */
	private record StoreMeters(AtomicInteger held, AtomicInteger waiting, Map<HandOff, Counter> handOffs,
			Counter renewed, Counter gone, Counter failed, Timer lateness, Counter resubscriptions) {
	}

}
