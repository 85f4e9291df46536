package io.github.distlock.benchmarks.report;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * One row for each contender, workload and round.
 */
final class CsvReport {

	private CsvReport() {
	}

	static String write(Results results) {
		String head = "workload,contender,round," + Arrays.stream(Metric.values())
			.map((metric) -> metric.name().toLowerCase(Locale.ROOT))
			.collect(Collectors.joining(","));
		return results.measurements().stream().map(CsvReport::row).collect(Collectors.joining("\n", head + "\n", "\n"));
	}

	private static String row(Measurement measurement) {
		return "%s,%s,%d,".formatted(measurement.workload(), measurement.contender(), measurement.round())
				+ Arrays.stream(Metric.values())
					.map(measurement::value)
					.map((value) -> value.isNaN() ? "" : String.format(Locale.ROOT, "%.4f", value))
					.collect(Collectors.joining(","));
	}

}
