package io.github.distlock.benchmarks.servers;

import java.time.Duration;
import java.util.stream.Stream;

/**
 * Processor time of servers that do not report it themselves.
 */
public final class ProcessorTime {

	private ProcessorTime() {
	}

	/**
	 * Return what a process and all that it started have used so far.
	 * @param pid the process
	 * @return microseconds, in steps of the operating system, which are 10 ms on Linux
	 */
	public static double micros(long pid) {
		return ProcessHandle.of(pid)
			.stream()
			.flatMap((process) -> Stream.concat(Stream.of(process), process.descendants()))
			.mapToLong((process) -> process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L))
			.sum() / 1e3;
	}

}
