package io.github.distlock.benchmarks.workers;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import com.sun.management.OperatingSystemMXBean;
import io.github.distlock.benchmarks.contenders.Locks;
import io.github.distlock.benchmarks.distlock.DistlockApplication;

/**
 * The first cycles of an application: one thread, one key again and again. All contenders
 * have the same Spring Boot application around them, and it begins when the compilers are
 * done with its start.
 *
 * @param nanos how long the first cycle took, and each of the phases after it
 * @param cpuNanos processor time of this JVM in those phases together, but for the last
 */
public record Youth(long[] nanos, long cpuNanos) {

	/** After how many cycles each phase ends; the first cycle is one by itself. */
	public static final int[] PHASES = { 1, 100, 1_000, 10_000, 30_000 };

	/** What is compared: from the second cycle until here. */
	public static final int YOUNG = 10_000;

	private static final long IDLE_MILLIS = 300;

	static Youth of(Cast cast, String contender) throws InterruptedException {
		if (!contender.startsWith("distlock")) {
			DistlockApplication.startWithout(cast.client());
		}
		Locks locks = cast.locks(contender, 1).get(0);
		awaitIdleCompilers();
		String key = Standing.prefix(contender) + "young";
		long[] nanos = new long[PHASES.length];
		long cpu = 0;
		long cpuAtFirst = 0;
		int cycles = 0;
		for (int phase = 0; phase < PHASES.length; phase++) {
			long start = System.nanoTime();
			for (; cycles < PHASES[phase]; cycles++) {
				locks.lock(key).release();
			}
			nanos[phase] = System.nanoTime() - start;
			if (phase == 0) {
				cpuAtFirst = processorNanos();
			}
			if (cycles == YOUNG) {
				cpu = processorNanos() - cpuAtFirst;
			}
		}
		return new Youth(nanos, cpu);
	}

	String encode() {
		return LongStream.concat(Arrays.stream(this.nanos), LongStream.of(this.cpuNanos))
			.mapToObj(Long::toString)
			.collect(Collectors.joining(" "));
	}

	static Youth decode(String text) {
		long[] numbers = Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
		return new Youth(Arrays.copyOf(numbers, PHASES.length), numbers[PHASES.length]);
	}

	/**
	 * Return how long a cycle of a phase took.
	 * @param phase its index
	 * @return microseconds
	 */
	public double micros(int phase) {
		int cycles = PHASES[phase] - ((phase == 0) ? 0 : PHASES[phase - 1]);
		return this.nanos[phase] / 1e3 / cycles;
	}

	/**
	 * Return how many cycles a second had while the JVM was young.
	 * @return cycles per second
	 */
	public double throughput() {
		long young = 0;
		for (int phase = 1; PHASES[phase] <= YOUNG; phase++) {
			young += this.nanos[phase];
		}
		return (YOUNG - 1) * 1e9 / young;
	}

	private static void awaitIdleCompilers() throws InterruptedException {
		CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
		for (long before = -1; compilers.getTotalCompilationTime() != before;) {
			before = compilers.getTotalCompilationTime();
			Thread.sleep(IDLE_MILLIS);
		}
	}

	private static long processorNanos() {
		return (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system)
				? system.getProcessCpuTime() : 0;
	}

}
