package io.github.distlock.benchmarks.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * The little statistics that is needed.
 */
public final class Statistics {

	private static final double CONFIDENCE = 0.95;

	private Statistics() {
	}

	/**
	 * Return the median.
	 * @param values at least one
	 * @return the median; of an even number the middle of the two in the middle
	 */
	public static double median(Collection<Double> values) {
		double[] sorted = sorted(values);
		int half = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
	}

	/**
	 * Return the ratios of values that belong together.
	 * @param values measured in the rounds 1, 2, …
	 * @param reference measured in the same rounds
	 * @return one for each round
	 */
	public static List<Double> ratios(List<Double> values, List<Double> reference) {
		List<Double> ratios = new ArrayList<>();
		for (int i = 0; i < Math.min(values.size(), reference.size()); i++) {
			ratios.add(values.get(i) / reference.get(i));
		}
		return ratios;
	}

	/**
	 * Return the narrowest interval between two of the values, the k-th lowest and the
	 * k-th highest, that covers the true median with a confidence of 95 %, whatever the
	 * values are distributed like. With fewer than six values there is none: then it is
	 * the lowest and the highest.
	 * @param values at least one
	 * @return the interval of the median
	 */
	public static Interval interval(Collection<Double> values) {
		double[] sorted = sorted(values);
		int n = sorted.length;
		// The chance that fewer than k of n values lie below the median.
		double chance = Math.pow(0.5, n);
		double below = chance;
		int k = 0;
		while (k + 1 < n - k - 1 && 2 * below + 2 * chance * (n - k) / (k + 1) <= 1 - CONFIDENCE) {
			chance = chance * (n - k) / (k + 1);
			below += chance;
			k++;
		}
		return new Interval(sorted[k], sorted[n - 1 - k]);
	}

	/**
	 * Return Jain's index of fairness.
	 * @param shares what each got
	 * @return 1 if all got the same, 1/n if one got all; 1 if nobody got anything
	 */
	public static double jain(Collection<Long> shares) {
		double sum = 0;
		double squares = 0;
		for (double share : shares) {
			sum += share;
			squares += share * share;
		}
		return (squares == 0) ? 1 : sum * sum / (shares.size() * squares);
	}

	/**
	 * Return the value that a share of all does not exceed.
	 * @param values at least one
	 * @param share between 0 and 1
	 * @return the value, one of those given
	 */
	public static double quantile(Collection<Double> values, double share) {
		double[] sorted = sorted(values);
		return sorted[(int) Math.max(0, Math.ceil(share * sorted.length) - 1)];
	}

	private static double[] sorted(Collection<Double> values) {
		if (values.isEmpty()) {
			throw new IllegalArgumentException("There is no value");
		}
		double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
		Arrays.sort(sorted);
		return sorted;
	}

	/**
	 * Where a median lies.
	 *
	 * @param low the lower end
	 * @param high the upper end
	 */
	public record Interval(double low, double high) {

	}

}
