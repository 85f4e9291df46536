package io.github.distlock.observation;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The observer that uses an {@link ObservationRegistry}. What handlers and conventions of
 * the application throw is logged: it affects no lock.
 */
public final class LockObservations implements LockObserver {

	private static final Log logger = LogFactory.getLog(LockObservations.class);

	private final ObservationRegistry registry;

	private final List<LockObservationConvention> conventions;

	private final LockObservationConvention acquisitions;

	private final LockObservationConvention sections;

	private final boolean observesSections;

	/**
	 * The observation of another thread for which this thread works. Set for a short
	 * time, while that thread cannot set the current observation itself: no handler of
	 * the application must run on a thread that grants locks.
	 */
	private final ThreadLocal<@Nullable Observation> parents = new ThreadLocal<>();

	/**
	 * Create an observer.
	 * @param registry where to report the observations
	 * @param conventions those of the application, the first that supports an observation
	 * is used
	 * @param sections whether the work under locks is observed
	 * @param keys whether keys and fencing tokens are shown
	 */
	public LockObservations(ObservationRegistry registry, List<LockObservationConvention> conventions, boolean sections,
			boolean keys) {
		this.registry = registry;
		this.conventions = List.copyOf(conventions);
		this.acquisitions = new DefaultLockObservationConvention(LockObservationDocumentation.ACQUISITION, keys);
		this.sections = new DefaultLockObservationConvention(LockObservationDocumentation.SECTION, keys);
		this.observesSections = sections;
	}

	@Override
	public boolean observesSections() {
		return this.observesSections;
	}

	@Override
	public @Nullable Object current() {
		return this.registry.getCurrentObservation();
	}

	@Override
	public @Nullable ObservationScope childrenOf(@Nullable Object parent) {
		if (!(parent instanceof Observation observation)) {
			return null;
		}
		Observation before = this.parents.get();
		this.parents.set(observation);
		return () -> this.parents.set(before);
	}

	@Override
	public @Nullable ObservedAcquisition acquisition(String backend, LockRequest request) {
		if (this.registry.isNoop()) {
			return null;
		}
		return start(new LockObservationContext(LockObservationDocumentation.ACQUISITION, backend, request.label(),
				request.mode(), List.of(request.key()), List.of()), this.acquisitions);
	}

	@Override
	public @Nullable ObservedSection section(String backend, LockMode mode, List<HeldLock> locks) {
		if (!this.observesSections || this.registry.isNoop()) {
			return null;
		}
		String name = (locks.size() == 1) ? locks.get(0).name()
				: locks.stream().map(HeldLock::name).distinct().collect(Collectors.joining(","));
		Started section = start(new LockObservationContext(LockObservationDocumentation.SECTION, backend, name, mode,
				locks.stream().map(HeldLock::key).toList(), locks.stream().map(HeldLock::fencingToken).toList()),
				this.sections);
		if (section != null) {
			safely(() -> locks.forEach((lock) -> lock.onLost(() -> section.lost(lock.lossCause()))));
		}
		return section;
	}

	private @Nullable Started start(LockObservationContext context, LockObservationConvention byDefault) {
		try {
			LockObservationConvention custom = this.conventions.isEmpty() ? null
					: this.conventions.stream()
						.filter((convention) -> convention.supportsContext(context))
						.findFirst()
						.orElse(null);
			Observation observation = context.getKind().observation(custom, byDefault, () -> context, this.registry);
			if (observation.isNoop()) {
				return null;
			}
			Observation parent = this.parents.get();
			if (parent != null && this.registry.getCurrentObservation() == null) {
				observation.parentObservation(parent);
			}
			return new Started(observation.start(), context, new AtomicBoolean());
		}
		catch (Throwable ex) {
			report(ex);
			return null;
		}
	}

	private static void safely(Runnable call) {
		try {
			call.run();
		}
		catch (Throwable ex) {
			report(ex);
		}
	}

	private static void report(Throwable ex) {
		logger.error("An observation of a lock failed. The lock is not affected", ex);
	}

	/**
	 * A started observation, of an acquisition or of a section.
	 *
	 * @param observation the observation
	 * @param context its context
	 * @param ended whether it has ended: a publisher may be cancelled while it completes
	 */
	private record Started(Observation observation, LockObservationContext context,
			AtomicBoolean ended) implements ObservedAcquisition, ObservedSection {

		@Override
		public ObservationScope openScope() {
			try {
				Observation.Scope scope = this.observation.openScope();
				return () -> safely(scope::close);
			}
			catch (Throwable ex) {
				report(ex);
				return () -> {
				};
			}
		}

		@Override
		public void queued() {
			event(LockObservationDocumentation.LockEvents.QUEUED);
		}

		@Override
		public void ended(LockOutcome outcome, HandOff handOff, long fencingToken, @Nullable Throwable failure) {
			if (outcome == LockOutcome.ACQUIRED) {
				this.context.acquired(handOff, fencingToken);
				if (handOff == HandOff.LOCAL || handOff == HandOff.REMOTE) {
					event(LockObservationDocumentation.LockEvents.GRANTED);
				}
			}
			stop(outcome, failure);
		}

		@Override
		public void lost(@Nullable LossCause cause) {
			if (!this.ended.get()) {
				this.context.lost();
				String text = (cause != null) ? "lost: " + cause.description() : "lost";
				event(Observation.Event.of(LockObservationDocumentation.LockEvents.LOST.getName(), text));
			}
		}

		@Override
		public void ended(@Nullable Throwable failure) {
			if (this.ended.compareAndSet(false, true)) {
				stop(null, failure);
			}
		}

		private void event(Observation.Event event) {
			safely(() -> this.observation.event(event));
		}

		private void stop(@Nullable LockOutcome outcome, @Nullable Throwable failure) {
			this.context.ended(outcome);
			if (failure != null) {
				safely(() -> this.observation.error(failure));
			}
			safely(this.observation::stop);
		}

	}

}
