package io.github.distlock.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.servers.ServerOptions;
import io.github.distlock.benchmarks.workloads.WarmUp;
import io.github.distlock.benchmarks.workloads.Workload;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asks for.
 *
 * @param workloads what is measured
 * @param contenders the contenders to measure
 * @param rounds how many rounds
 * @param slice how long each contender locks in a round
 * @param warmUps what precedes the slices; each workload is measured with each
 * @param servers what the user says about servers
 * @param processor to which all processes are pinned; negative for the last one that may
 * be used, {@code null} for none
 * @param output the folder to write to
 * @param previous jar of an earlier version to measure beside this one, or {@code null}
 */
record Options(List<Workload> workloads, List<Contender> contenders, int rounds, Duration slice, List<WarmUp> warmUps,
		ServerOptions servers, @Nullable Integer processor, Path output, @Nullable Path previous) {

	static final String USAGE = """
			Measures locks side by side, in turn, on servers that it starts itself.

			Options:
			  --workloads=quick      quick (five minutes with the quick contenders), full, or a list:
			                         uncontended-1,hot-4x4,…; the name of a deployment stands for all of its
			                         workloads: delayed, tls, replica, redlock, postgresql, h2, zookeeper
			  --contenders=quick     quick, full, or a list: distlock,redisson,…
			                         Each takes part where its store is used
			  --rounds=10            rounds; each contender has one slice in each
			  --slice=300ms          length of a slice
			  --warm-up=1s           how long each contender locks before the first round, in JVMs that all
			                         contenders of distlock share, and all others; off to measure with
			                         --cold only
			  --cold=off             200ms measures each workload cold, too: each slice has new JVMs, with one
			                         contender that locks once, and then for this time, before it is measured
			  --redis=host:port      a Redis or Valkey to use instead of starting one; it is not flushed
			  --server=PROGRAM       redis-server or valkey-server to start instead of the embedded one
			  --pin=auto             processor for client and server: auto (the last one), a number, or off
			  --output=FOLDER        where report.md, measurements.csv and ratios.svg go
			                         (default: target/benchmarks/results)
			  --previous=JAR         an earlier version of distlock (jar or class folder): each contender of
			                         distlock takes part in that version, too (distlock-previous, …), in JVMs
			                         of its own, and ratios are formed against it
			  --list                 show all workloads and contenders
			  --help                 show this
			""";

}
