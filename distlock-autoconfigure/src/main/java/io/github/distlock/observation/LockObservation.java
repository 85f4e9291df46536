package io.github.distlock.observation;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.HandOff;
import io.github.distlock.LockOutcome;
import io.github.distlock.LossCause;
import io.github.distlock.observation.LockObserver.ObservationScope;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * A started observation: of an acquisition, or of the work under the locks of one call.
 * Thread-safe. Throws nothing.
 */
public final class LockObservation {

	private final Observation observation;

	private final LockObservationContext context;

	/** A publisher may be cancelled while it completes. */
	private final AtomicBoolean ended = new AtomicBoolean();

	/** Whether a lock of the section was lost while the work was running. */
	private volatile boolean lost;

	LockObservation(Observation observation, LockObservationContext context) {
		this.observation = observation;
		this.context = context;
	}

	/**
	 * Make this the parent of what begins on this thread.
	 * @return closed on this thread
	 */
	public ObservationScope openScope() {
		try {
			Observation.Scope scope = this.observation.openScope();
			return () -> LockObserver.safely(scope::close);
		}
		catch (Throwable ex) {
			LockObserver.report(ex);
			return () -> {
			};
		}
	}

	/**
	 * Return the observation for a Reactor context.
	 * @return the value for {@link LockObserver#CONTEXT_KEY}
	 */
	public Object observation() {
		return this.observation;
	}

	/** The acquisition was not granted the lock at once and waits. */
	public void queued() {
		event(LockObservationDocumentation.LockEvents.QUEUED);
	}

	/**
	 * The acquisition has ended.
	 * @param outcome how
	 * @param handOff how the lock came to the caller
	 * @param fencingToken token of the caller; 0 if the lock was not acquired
	 * @param failure what went wrong, {@code null} if nothing did
	 */
	public void ended(LockOutcome outcome, HandOff handOff, long fencingToken, @Nullable Throwable failure) {
		if (outcome == LockOutcome.ACQUIRED) {
			this.context.setFencingTokens(List.of(fencingToken));
			if (handOff == HandOff.LOCAL || handOff == HandOff.REMOTE) {
				event(LockObservationDocumentation.LockEvents.GRANTED);
			}
		}
		stop(outcome.name().toLowerCase(Locale.ROOT).replace('_', '-'), failure);
	}

	/** One of the locks of the section was lost. */
	void lost(@Nullable LossCause cause) {
		if (!this.ended.get()) {
			this.lost = true;
			String text = (cause != null) ? "lost: " + cause.description() : "lost";
			event(Observation.Event.of(LockObservationDocumentation.LockEvents.LOST.getName(), text));
		}
	}

	/**
	 * The work of the section has ended. Only the first call counts.
	 * @param failure the exception of the work, {@code null} without one
	 */
	public void ended(@Nullable Throwable failure) {
		if (this.ended.compareAndSet(false, true)) {
			String result = (failure != null) ? "error" : "success";
			stop(this.lost ? "lost" : result, failure);
		}
	}

	private void event(Observation.Event event) {
		LockObserver.safely(() -> this.observation.event(event));
	}

	private void stop(String outcome, @Nullable Throwable failure) {
		this.context.setOutcome(outcome);
		if (failure != null) {
			LockObserver.safely(() -> this.observation.error(failure));
		}
		LockObserver.safely(this.observation::stop);
	}

}
