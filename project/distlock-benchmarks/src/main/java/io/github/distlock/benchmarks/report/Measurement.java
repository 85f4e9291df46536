package io.github.distlock.benchmarks.report;

import java.util.Map;

/**
 * What one contender did in one round of one workload.
 *
 * @param workload which workload
 * @param contender which contender
 * @param round which round, from 1
 * @param values what was measured
 */
public record Measurement(String workload, String contender, int round, Map<Metric, Double> values) {

	/**
	 * Return a value.
	 * @param metric of what
	 * @return the value, not a number if it was not measured
	 */
	double value(Metric metric) {
		return this.values.getOrDefault(metric, Double.NaN);
	}

}
