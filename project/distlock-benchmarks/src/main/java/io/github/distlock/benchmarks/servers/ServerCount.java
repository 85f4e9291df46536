package io.github.distlock.benchmarks.servers;

import java.util.Map;
import java.util.function.LongSupplier;

import io.github.distlock.benchmarks.report.Metric;

/**
 * Counts what a server does for one contender.
 */
@FunctionalInterface
public interface ServerCount {

	/**
	 * Count during a slice.
	 * @param slice what the contender does, returns how many operations there were
	 * @return what the server did for each operation
	 */
	Map<Metric, Double> during(LongSupplier slice);

}
