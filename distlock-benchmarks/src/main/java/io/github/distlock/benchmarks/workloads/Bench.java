package io.github.distlock.benchmarks.workloads;

import java.io.PrintStream;
import java.time.Duration;

import io.github.distlock.benchmarks.redis.ServerWatch;
import io.github.distlock.benchmarks.report.Results;
import io.github.distlock.benchmarks.workers.Crew;

/**
 * What a workload needs.
 *
 * @param crew who locks
 * @param server what the locks are kept in
 * @param results where measurements go
 * @param rounds how many rounds
 * @param slice how long each contender locks in a round
 * @param warmUp how long each contender locks before the first round
 * @param progress what happens is told here
 */
public record Bench(Crew crew, ServerWatch server, Results results, int rounds, Duration slice, Duration warmUp,
		PrintStream progress) {

}
