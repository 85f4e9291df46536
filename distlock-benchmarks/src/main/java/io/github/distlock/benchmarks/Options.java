package io.github.distlock.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.RedisAddress;
import io.github.distlock.benchmarks.workloads.Workload;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asks for.
 *
 * @param workloads what is measured
 * @param contenders who is measured
 * @param rounds how many rounds
 * @param slice how long each contender locks in a round
 * @param warmUp how long each contender locks before the first round
 * @param redis the server to use; {@code null} to start one
 * @param processor to which all processes are pinned; negative for the last one that may
 * be used, {@code null} for none
 * @param output the folder to write to
 * @param previous jar of an earlier version to measure beside this one, or {@code null}
 */
record Options(List<Workload> workloads, List<Contender> contenders, int rounds, Duration slice, Duration warmUp,
		@Nullable RedisAddress redis, @Nullable Integer processor, Path output, @Nullable Path previous) {

	static final String USAGE = """
			Measures locks side by side, in turn, on one Redis that it starts itself.

			Options:
			  --workloads=quick      quick (five minutes with the quick contenders), full, or a list:
			                         uncontended-1,hot-4x4,…
			  --contenders=quick     quick, full, or a list: distlock,redisson,…
			  --rounds=10            rounds; each contender has one slice in each
			  --slice=300ms          length of a slice
			  --warm-up=1s           how long each contender locks before the first round
			  --redis=host:port      a server to use instead of starting one; it is not flushed
			  --pin=auto             processor for client and server: auto (the last one), a number, or off
			  --output=FOLDER        where report.md, measurements.csv and ratios.svg go
			                         (default: target/benchmarks/results)
			  --previous=JAR         an earlier version of distlock (jar or class folder): it takes part as
			                         distlock-previous, and ratios are formed against it
			  --list                 show all workloads and contenders
			  --help                 show this
			""";

}
