package io.github.distlock.observation;

import java.util.List;

import io.github.distlock.LockMode;
import io.micrometer.observation.Observation;

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

	private volatile String outcome = "none";

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
	 * Return how the observed acquisition or work has ended.
	 * @return the outcome as in the key value, {@code none} before the end
	 */
	public String getOutcome() {
		return this.outcome;
	}

	void setFencingTokens(List<Long> fencingTokens) {
		this.fencingTokens = fencingTokens;
	}

	void setOutcome(String outcome) {
		this.outcome = outcome;
	}

}
