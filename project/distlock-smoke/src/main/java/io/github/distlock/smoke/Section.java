package io.github.distlock.smoke;

/**
 * Work that runs under a lock.
 */
@FunctionalInterface
public interface Section {

	/**
	 * Do the work.
	 * @param fencingToken the fencing token of the lock
	 */
	void run(long fencingToken);

}
