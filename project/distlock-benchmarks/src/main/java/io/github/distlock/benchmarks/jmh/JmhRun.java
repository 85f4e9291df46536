package io.github.distlock.benchmarks.jmh;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * One benchmark in a new JVM.
 *
 * @param type the class of the benchmark
 * @param warmUp how long it runs before it is measured
 * @param measured how long it is measured
 */
public record JmhRun(Class<?> type, Duration warmUp, Duration measured) {

	/**
	 * Return the benchmarks of a class.
	 * @param type the class
	 * @return their names
	 */
	public static List<String> names(Class<?> type) {
		return Arrays.stream(type.getMethods())
			.filter((method) -> method.isAnnotationPresent(Benchmark.class))
			.map(Method::getName)
			.sorted(Comparator.naturalOrder())
			.toList();
	}

	/**
	 * Measure one benchmark. Blocks until its JVM has ended.
	 * @param name which
	 * @return what a call costs
	 */
	public Cost run(String name) {
		OptionsBuilder options = new OptionsBuilder();
		options.include(this.type.getName() + "\\." + name + "$")
			.forks(1)
			.measurementIterations(1)
			.measurementTime(time(this.measured))
			.addProfiler(GCProfiler.class)
			.verbosity(VerboseMode.SILENT)
			.shouldFailOnError(true);
		if (this.warmUp.isZero()) {
			options.warmupIterations(0);
		}
		else {
			options.warmupIterations(1).warmupTime(time(this.warmUp));
		}
		try {
			RunResult result = new Runner(options.build()).runSingle();
			Result<?> bytes = result.getSecondaryResults().get("gc.alloc.rate.norm");
			return new Cost(result.getPrimaryResult().getScore(), (bytes != null) ? bytes.getScore() : Double.NaN);
		}
		catch (RunnerException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static TimeValue time(Duration duration) {
		return new TimeValue(duration.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * What a call costs.
	 *
	 * @param nanos time
	 * @param bytes allocated
	 */
	public record Cost(double nanos, double bytes) {

	}

}
