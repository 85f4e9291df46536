package io.github.distlock.benchmarks.workloads;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.redis.CommandShares;
import io.github.distlock.benchmarks.redis.ServerFigures;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.report.Statistics;
import io.github.distlock.benchmarks.workers.Shape;

/**
 * Many wait for a lock that somebody keeps, until their time has passed.
 *
 * @param waiters how many wait
 * @param patience how long
 */
record ExpiryWorkload(int waiters, Duration patience) implements Workload {

	private static final Shape TWO_CLIENTS = new Shape(1, 2, 1, true, Duration.ZERO);

	@Override
	public Chapter chapter() {
		return new Chapter("expiry-" + this.waiters,
				"%d threads of one client wait %d ms for a lock that another client keeps: how early and how late they come back, commands per attempt"
					.formatted(this.waiters, this.patience.toMillis()),
				"", Metric.LATE_P50, List.of(Metric.LATE_P99, Metric.LATE_MAX, Metric.EARLIEST, Metric.CLIENT_COMMANDS,
						Metric.SCRIPT_COMMANDS, Metric.MESSAGES, Metric.BYTES, Metric.REDIS_CPU));
	}

	@Override
	public List<Contender> among(List<Contender> selected) {
		return selected.stream().filter((contender) -> contender.abilities().contains(Ability.WAITS)).toList();
	}

	@Override
	public void run(Bench bench, List<Contender> contenders) {
		Map<String, CommandShares> shares = new HashMap<>();
		Rounds rounds = new Rounds(bench, chapter(), contenders);
		rounds.prepare((contender) -> {
			bench.crew().open(contender.id(), TWO_CLIENTS);
			expire(bench, contender);
			shares.put(contender.id(), bench.server().monitor(() -> expire(bench, contender)));
		});
		rounds.run((contender) -> {
			bench.crew().open(contender.id(), TWO_CLIENTS);
			List<List<Long>> late = new ArrayList<>();
			ServerFigures figures = bench.server().during(() -> late.add(expire(bench, contender)));
			return values(late.get(0), figures, shares.getOrDefault(contender.id(), new CommandShares()));
		});
	}

	private List<Long> expire(Bench bench, Contender contender) {
		return bench.crew().expire(contender.id(), this.waiters, this.patience);
	}

	private Map<Metric, Double> values(List<Long> lateness, ServerFigures server, CommandShares shares) {
		List<Double> late = lateness.stream().map(Long::doubleValue).toList();
		double sent = shares.sentByClients(server);
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		values.put(Metric.EARLIEST, Statistics.quantile(late, 0));
		values.put(Metric.LATE_P50, Statistics.median(late));
		values.put(Metric.LATE_P99, Statistics.quantile(late, 0.99));
		values.put(Metric.LATE_MAX, Statistics.quantile(late, 1));
		values.put(Metric.CLIENT_COMMANDS, sent / this.waiters);
		values.put(Metric.SCRIPT_COMMANDS, (server.commands() - sent) / this.waiters);
		values.put(Metric.MESSAGES, (double) server.messages() / this.waiters);
		values.put(Metric.BYTES, (double) server.bytes() / this.waiters);
		values.put(Metric.REDIS_CPU, server.cpuMicros() / this.waiters);
		return values;
	}

}
