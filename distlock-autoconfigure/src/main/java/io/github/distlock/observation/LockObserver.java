package io.github.distlock.observation;

import java.util.List;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Observes acquisitions and the work under locks. Implementations are thread-safe, must
 * not block, and throw nothing: an observation that fails affects no lock.
 */
public interface LockObserver {

	/** Key of the current observation in a Reactor context, as Micrometer defines it. */
	String CONTEXT_KEY = "micrometer.observation";

	/**
	 * Return the observation of the running code.
	 * @return the observation, {@code null} if there is none
	 */
	@Nullable Object current();

	/**
	 * Make an observation of another thread the parent of those that begin on this thread
	 * while it has none of its own.
	 * @param parent what {@link #current()} returned on the other thread
	 * @return ends that; {@code null} without a parent
	 */
	@Nullable ObservationScope childrenOf(@Nullable Object parent);

	/**
	 * Begin to observe an acquisition, before its first attempt.
	 * @param backend name of the store
	 * @param request what is requested
	 * @return the observation, {@code null} if it is not wanted
	 */
	@Nullable ObservedAcquisition acquisition(String backend, LockRequest request);

	/**
	 * Begin to observe the work under one or more locks.
	 * @param backend name of the store of the first lock
	 * @param mode mode of the first lock
	 * @param locks the locks in the order in which they were acquired, at least one
	 * @return the observation, {@code null} if it is not wanted
	 */
	@Nullable ObservedSection section(String backend, LockMode mode, List<HeldLock> locks);

	/**
	 * Return whether {@link #section} can return an observation.
	 * @return whether sections are wanted
	 */
	boolean observesSections();

	/**
	 * One acquisition. Ended once.
	 */
	interface ObservedAcquisition {

		/**
		 * Make this the parent of what begins on this thread.
		 * @return closed on this thread
		 */
		ObservationScope openScope();

		/** The call was not granted the lock at once and waits. */
		void queued();

		/**
		 * The acquisition has ended.
		 * @param outcome how
		 * @param handOff how the lock came to the caller
		 * @param fencingToken token of the caller; 0 if the lock was not acquired
		 * @param failure what went wrong, {@code null} if nothing did
		 */
		void ended(LockOutcome outcome, HandOff handOff, long fencingToken, @Nullable Throwable failure);

	}

	/**
	 * The work under the locks of one call.
	 */
	interface ObservedSection {

		/**
		 * Make this the parent of what begins on this thread.
		 * @return closed on this thread
		 */
		ObservationScope openScope();

		/**
		 * Return the observation for a Reactor context.
		 * @return the value for {@link LockObserver#CONTEXT_KEY}
		 */
		Object observation();

		/**
		 * One of the locks was lost.
		 * @param cause why, {@code null} if that is not known
		 */
		void lost(@Nullable LossCause cause);

		/**
		 * The work has ended. Only the first call counts.
		 * @param failure the exception of the work, {@code null} without one
		 */
		void ended(@Nullable Throwable failure);

	}

	/**
	 * Period in which an observation is the parent of what begins on a thread.
	 */
	@FunctionalInterface
	interface ObservationScope extends AutoCloseable {

		/** End the period. Throws nothing. */
		@Override
		void close();

	}

}
