package io.github.distlock.benchmarks.contenders;

/**
 * A lock that was acquired.
 */
@FunctionalInterface
public interface Held {

	/** Release it, on the thread that acquired it. */
	void release();

}
