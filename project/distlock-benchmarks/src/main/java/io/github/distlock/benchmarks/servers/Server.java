package io.github.distlock.benchmarks.servers;

import java.util.function.LongSupplier;

import io.github.distlock.benchmarks.contenders.StoreAddress;

/**
 * The servers of one deployment: started for a run, or there before.
 */
public interface Server extends AutoCloseable {

	/**
	 * Return where the locks are kept.
	 * @return what a client must know
	 */
	StoreAddress address();

	/**
	 * Return product and version.
	 * @return for the report
	 */
	String version();

	/**
	 * Learn what the server does for one contender. The slice takes longer than others,
	 * because the server is watched closely.
	 * @param slice what the contender does, returns how many operations there were
	 * @return what counts from now on
	 */
	ServerCount learn(LongSupplier slice);

	/** End what was started. Blocks until it is gone. */
	@Override
	void close();

}
