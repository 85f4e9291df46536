package io.github.distlock.benchmarks.workloads;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.report.Statistics;
import io.github.distlock.benchmarks.servers.Deployment;
import io.github.distlock.benchmarks.servers.ServerCount;
import io.github.distlock.benchmarks.workers.Keys;
import io.github.distlock.benchmarks.workers.Shape;

/**
 * Many wait for a lock that somebody keeps, until their time has passed.
 *
 * @param waiters how many wait
 * @param patience how long
 */
record ExpiryWorkload(int waiters, Duration patience) implements Workload {

	private static final Shape TWO_CLIENTS = new Shape(1, 2, 1, Keys.ONE, Duration.ZERO);

	@Override
	public Chapter chapter() {
		return new Chapter("expiry-" + this.waiters,
				"%d threads of one client wait %d ms for a lock that another client keeps: how early and how late they come back, commands per attempt"
					.formatted(this.waiters, this.patience.toMillis()),
				"", Metric.LATE_P50, List.of(Metric.LATE_P99, Metric.LATE_MAX, Metric.EARLIEST, Metric.CLIENT_COMMANDS,
						Metric.SCRIPT_COMMANDS, Metric.MESSAGES, Metric.BYTES, Metric.SERVER_CPU));
	}

	@Override
	public Deployment deployment() {
		return Deployment.REDIS;
	}

	@Override
	public List<Contender> among(List<Contender> selected) {
		return selected.stream()
			.filter((contender) -> contender.stores().contains(Kind.REDIS)
					&& contender.abilities().contains(Ability.WAITS))
			.toList();
	}

	@Override
	public void run(Bench bench, List<Contender> contenders) {
		Map<String, ServerCount> counts = new HashMap<>();
		Rounds rounds = new Rounds(bench, chapter(), contenders);
		rounds.prepare((contender) -> {
			bench.crew().open(contender.id(), TWO_CLIENTS);
			expire(bench, contender);
			counts.put(contender.id(), bench.server().learn(() -> expire(bench, contender).size()));
		});
		rounds.run((contender) -> {
			bench.crew().open(contender.id(), TWO_CLIENTS);
			List<Long> late = new ArrayList<>();
			Map<Metric, Double> values = new EnumMap<>(Objects.requireNonNull(counts.get(contender.id())).during(() -> {
				late.addAll(expire(bench, contender));
				return this.waiters;
			}));
			values.putAll(values(late));
			return values;
		});
	}

	private List<Long> expire(Bench bench, Contender contender) {
		return bench.crew().expire(contender.id(), this.waiters, this.patience);
	}

	private static Map<Metric, Double> values(List<Long> lateness) {
		List<Double> late = lateness.stream().map(Long::doubleValue).toList();
		return Map.of(Metric.EARLIEST, Statistics.quantile(late, 0), Metric.LATE_P50, Statistics.median(late),
				Metric.LATE_P99, Statistics.quantile(late, 0.99), Metric.LATE_MAX, Statistics.quantile(late, 1));
	}

}
