package io.github.distlock.observation;

import java.util.List;

import io.github.distlock.HandOff;
import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * What is observed: an acquisition, or the work under the locks of one call.
 */
public final class LockObservationContext extends Observation.Context {

	private final LockObservationDocumentation kind;

	private final String backend;

	private final String lockName;

	private final LockMode mode;

	private final List<String> keys;

	/**
	 * Written by the thread that ends the observation. The fields are volatile, since
	 * other threads may read them meanwhile.
	 */
	private volatile List<Long> fencingTokens;

	private volatile @Nullable LockOutcome outcome;

	private volatile HandOff handOff = HandOff.NONE;

	private volatile boolean lost;

	/** Whether the work under the locks has ended. */
	private volatile boolean ended;

	LockObservationContext(LockObservationDocumentation kind, String backend, String lockName, LockMode mode,
			List<String> keys, List<Long> fencingTokens) {
		this.kind = kind;
		this.backend = backend;
		this.lockName = lockName;
		this.mode = mode;
		this.keys = keys;
		this.fencingTokens = fencingTokens;
	}

	/**
	 * Return what is observed.
	 * @return the kind of observation
	 */
	public LockObservationDocumentation getKind() {
		return this.kind;
	}

	/**
	 * Return the name of the store.
	 * @return the backend, such as {@code redis}
	 */
	public String getBackend() {
		return this.backend;
	}

	/**
	 * Return the label of the lock.
	 * @return the name; for a call with several locks their names, comma-separated
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Return how the lock is shared.
	 * @return the mode that was requested
	 */
	public LockMode getMode() {
		return this.mode;
	}

	/**
	 * Return the keys of the locks, in the order in which they were acquired. A key has
	 * too many values for a meter.
	 * @return at least one key
	 */
	public List<String> getKeys() {
		return this.keys;
	}

	/**
	 * Return the fencing tokens of the locks, in the order of {@link #getKeys()}.
	 * @return the tokens, none if the lock is not acquired
	 */
	public List<Long> getFencingTokens() {
		return this.fencingTokens;
	}

	/**
	 * Return how the acquisition has ended.
	 * @return the outcome, {@code null} before the end, and for a section
	 */
	public @Nullable LockOutcome getOutcome() {
		return this.outcome;
	}

	/**
	 * Return how the lock came to the caller.
	 * @return the hand-off, {@link HandOff#NONE} before the end, and for a section
	 */
	public HandOff getHandOff() {
		return this.handOff;
	}

	/**
	 * Return whether a lock was lost while the work was running.
	 * @return whether the section was no longer protected
	 */
	public boolean isLost() {
		return this.lost;
	}

	/**
	 * Return whether the observed work or acquisition has ended.
	 * @return whether it has ended
	 */
	public boolean isEnded() {
		return this.ended;
	}

	void acquired(HandOff how, long fencingToken) {
		this.handOff = how;
		this.fencingTokens = List.of(fencingToken);
	}

	void ended(@Nullable LockOutcome how) {
		this.outcome = how;
		this.ended = true;
	}

	void lost() {
		this.lost = true;
	}

}
