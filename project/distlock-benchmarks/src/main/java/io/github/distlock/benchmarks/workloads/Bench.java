package io.github.distlock.benchmarks.workloads;

import java.io.PrintStream;
import java.time.Duration;

import io.github.distlock.benchmarks.report.Results;
import io.github.distlock.benchmarks.servers.Server;
import io.github.distlock.benchmarks.servers.redis.RedisServers;
import io.github.distlock.benchmarks.servers.redis.RedisWatch;
import io.github.distlock.benchmarks.workers.Crew;

/**
 * What a workload needs.
 *
 * @param crew who locks
 * @param server what the locks are kept in
 * @param results where measurements go
 * @param rounds how many rounds
 * @param slice how long each contender locks in a round
 * @param progress what happens is told here
 */
public record Bench(Crew crew, Server server, Results results, int rounds, Duration slice, PrintStream progress) {

	RedisWatch redis() {
		if (this.server instanceof RedisServers redis) {
			return redis.watch();
		}
		throw new IllegalStateException("Needs Redis, not " + this.server.address());
	}

}
