package io.github.distlock.renewal;

import java.time.Duration;

/**
 * What the renewal room tells of renewals. Called on its own threads; must not block.
 */
public interface LeaseEvents {

	/**
	 * A batch was renewed.
	 * @param renewed how many were
	 * @param gone how many the store no longer knew
	 * @param failed how many could not be asked for
	 * @param lateness time from the moment planned for the batch to its answer
	 */
	void renewed(int renewed, int gone, int failed, Duration lateness);

}
