package io.github.distlock.benchmarks.workloads;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.Contenders;
import io.github.distlock.benchmarks.redis.CommandShares;
import io.github.distlock.benchmarks.redis.ServerFigures;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.report.Statistics;
import io.github.distlock.benchmarks.workers.Crew.Slice;
import io.github.distlock.benchmarks.workers.Shape;
import io.github.distlock.benchmarks.workers.Tally;

/**
 * Acquire and release as fast as possible, on a key of each thread or on one for all.
 *
 * @param chapter what the report says of it
 * @param shape who locks what
 * @param only contenders that it is made for; nobody in particular if empty
 */
record CycleWorkload(Chapter chapter, Shape shape, List<String> only) implements Workload {

	/** Enough to see what is sent, short enough not to matter. */
	private static final Duration MONITORED = Duration.ofMillis(200);

	@Override
	public List<Contender> among(List<Contender> selected) {
		if (!this.only.isEmpty()) {
			return this.only.stream().map(Contenders::named).toList();
		}
		Ability ability = this.shape.hot() ? Ability.WAITS : Ability.CYCLES;
		return selected.stream().filter((contender) -> contender.abilities().contains(ability)).toList();
	}

	@Override
	public void run(Bench bench, List<Contender> contenders) {
		Map<String, CommandShares> shares = new HashMap<>();
		Rounds rounds = new Rounds(bench, this.chapter, contenders);
		rounds.prepare((contender) -> {
			bench.crew().open(contender.id(), this.shape);
			bench.crew().slice(contender.id(), this.shape, bench.warmUp());
			shares.put(contender.id(),
					bench.server().monitor(() -> bench.crew().slice(contender.id(), this.shape, MONITORED)));
		});
		rounds.run((contender) -> {
			// Opens again what a contender that failed took down.
			bench.crew().open(contender.id(), this.shape);
			Slice[] slice = new Slice[1];
			ServerFigures figures = bench.server()
				.during(() -> slice[0] = bench.crew().slice(contender.id(), this.shape, bench.slice()));
			return values(slice[0], figures, shares.getOrDefault(contender.id(), new CommandShares()), bench.slice());
		});
	}

	private static Map<Metric, Double> values(Slice slice, ServerFigures server, CommandShares shares,
			Duration duration) {
		Tally tally = slice.tally();
		double cycles = Math.max(1, tally.cycles());
		double sent = shares.sentByClients(server);
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		values.put(Metric.THROUGHPUT, tally.counted() * 1e9 / duration.toNanos());
		values.put(Metric.ACQUIRE_P50, tally.latencies().quantile(0.5) / 1e3);
		values.put(Metric.ACQUIRE_P99, tally.latencies().quantile(0.99) / 1e3);
		values.put(Metric.ACQUIRE_P999, tally.latencies().quantile(0.999) / 1e3);
		values.put(Metric.ACQUIRE_MAX, tally.latencies().max() / 1e3);
		values.put(Metric.JAIN, Statistics.jain(tally.perThread()));
		values.put(Metric.MOST, tally.perThread().stream().mapToDouble(Long::doubleValue).max().orElse(0));
		values.put(Metric.LEAST, tally.perThread().stream().mapToDouble(Long::doubleValue).min().orElse(0));
		values.put(Metric.OVERTAKING, tally.passages().overtaking() * 100);
		values.put(Metric.CLIENT_COMMANDS, sent / cycles);
		values.put(Metric.SCRIPT_COMMANDS, (server.commands() - sent) / cycles);
		values.put(Metric.MESSAGES, server.messages() / cycles);
		values.put(Metric.BYTES, server.bytes() / cycles);
		values.put(Metric.REDIS_CPU, server.cpuMicros() / cycles);
		values.put(Metric.CLIENT_CPU, tally.cpuNanos() / 1e3 / cycles);
		values.put(Metric.LOST_UPDATES, (double) slice.lostUpdates());
		return values;
	}

}
