package io.github.distlock.observation;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Observes acquisitions and the work under locks with an {@link ObservationRegistry}. The
 * rest of the library calls this class and needs no Micrometer. What handlers and
 * conventions of the application throw is logged: it affects no lock. Thread-safe.
 */
public final class LockObserver {

	/** Key of the current observation in a Reactor context, as Micrometer defines it. */
	public static final String CONTEXT_KEY = "micrometer.observation";

	private static final Log logger = LogFactory.getLog(LockObserver.class);

	private final ObservationRegistry registry;

	/** Those of the application. */
	private final List<LockObservationConvention> conventions;

	/** One for each kind of observation. */
	private final List<DefaultLockObservationConvention> defaults;

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
	public LockObserver(ObservationRegistry registry, List<LockObservationConvention> conventions, boolean sections,
			boolean keys) {
		this.registry = registry;
		this.conventions = List.copyOf(conventions);
		this.defaults = Stream.of(LockObservationDocumentation.values())
			.map((kind) -> new DefaultLockObservationConvention(kind, keys))
			.toList();
		this.observesSections = sections;
	}

	/**
	 * Return whether {@link #section} can return an observation.
	 * @return whether sections are wanted
	 */
	public boolean observesSections() {
		return this.observesSections;
	}

	/**
	 * Return the observation of the running code.
	 * @return the observation, {@code null} if there is none
	 */
	public @Nullable Object current() {
		return this.registry.getCurrentObservation();
	}

	/**
	 * Make an observation of another thread the parent of those that begin on this thread
	 * while it has none of its own.
	 * @param parent what {@link #current()} returned on the other thread
	 * @return ends that; {@code null} without a parent
	 */
	public @Nullable ObservationScope childrenOf(@Nullable Object parent) {
		if (!(parent instanceof Observation observation)) {
			return null;
		}
		Observation before = this.parents.get();
		this.parents.set(observation);
		return () -> this.parents.set(before);
	}

	/**
	 * Begin to observe an acquisition, before its first attempt.
	 * @param backend name of the store
	 * @param request what is requested
	 * @return the observation, {@code null} if it is not wanted
	 */
	public @Nullable LockObservation acquisition(String backend, LockRequest request) {
		if (this.registry.isNoop()) {
			return null;
		}
		return start(new LockObservationContext(LockObservationDocumentation.ACQUISITION, backend, request.label(),
				request.mode(), List.of(request.key()), List.of()));
	}

	/**
	 * Begin to observe the work under one or more locks.
	 * @param backend name of the store of the first lock
	 * @param mode mode of the first lock
	 * @param locks the locks in the order in which they were acquired, at least one
	 * @return the observation, {@code null} if it is not wanted
	 */
	public @Nullable LockObservation section(String backend, LockMode mode, List<HeldLock> locks) {
		if (!this.observesSections || this.registry.isNoop()) {
			return null;
		}
		String name = locks.stream().map(HeldLock::name).distinct().collect(Collectors.joining(","));
		LockObservation section = start(new LockObservationContext(LockObservationDocumentation.SECTION, backend, name,
				mode, locks.stream().map(HeldLock::key).toList(), locks.stream().map(HeldLock::fencingToken).toList()));
		if (section != null) {
			safely(() -> locks.forEach((lock) -> lock.onLost(() -> section.lost(lock.lossCause()))));
		}
		return section;
	}

	private @Nullable LockObservation start(LockObservationContext context) {
		try {
			LockObservationDocumentation kind = context.getKind();
			LockObservationConvention custom = this.conventions.stream()
				.filter((candidate) -> candidate.supportsContext(context))
				.findFirst()
				.orElse(null);
			Observation observation = kind.observation(custom, this.defaults.get(kind.ordinal()), () -> context,
					this.registry);
			if (observation.isNoop()) {
				return null;
			}
			Observation parent = this.parents.get();
			if (parent != null && this.registry.getCurrentObservation() == null) {
				observation.parentObservation(parent);
			}
			return new LockObservation(observation.start(), context);
		}
		catch (Throwable ex) {
			report(ex);
			return null;
		}
	}

	static void safely(Runnable call) {
		try {
			call.run();
		}
		catch (Throwable ex) {
			report(ex);
		}
	}

	static void report(Throwable ex) {
		logger.error("An observation of a lock failed. The lock is not affected", ex);
	}

	/**
	 * Period in which an observation is the parent of what begins on a thread.
	 */
	@FunctionalInterface
	public interface ObservationScope extends AutoCloseable {

		/** End the period. Throws nothing. */
		@Override
		void close();

	}

}
