package io.github.distlock.benchmarks.workloads;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.servers.Deployment;
import io.github.distlock.benchmarks.workers.Loner;
import io.github.distlock.benchmarks.workers.Youth;

/**
 * The first cycles of a new JVM. Each contender has a new one in each round; the server
 * stays, and the first round of a server that is a JVM has no special weight in a median.
 *
 * @param cycles the deployment
 */
record YoungWorkload(Cycles cycles) implements Workload {

	private static final List<Metric> PHASES = List.of(Metric.FIRST_CYCLE, Metric.CYCLES_100, Metric.CYCLES_1000,
			Metric.CYCLES_10000, Metric.CYCLES_30000);

	@Override
	public Chapter chapter() {
		return new Chapter(deployment().prefix() + "young",
				"the first cycles of an application that has just started, in a new JVM, 1 thread on one key; compared are cycles 2 to 10,000"
						+ deployment().description(),
				this.cycles.peer("spring-pubsub"), Metric.THROUGHPUT, columns());
	}

	private static List<Metric> columns() {
		return Stream.concat(PHASES.stream(), Stream.of(Metric.CLIENT_CPU)).toList();
	}

	@Override
	public Deployment deployment() {
		return this.cycles.deployment();
	}

	@Override
	public List<Contender> among(List<Contender> selected) {
		return selected.stream()
			.filter((contender) -> contender.stores().contains(deployment().kind()))
			.filter((contender) -> contender.abilities().contains(Ability.CYCLES))
			.toList();
	}

	@Override
	public void run(Bench bench, List<Contender> contenders) {
		new Rounds(bench, chapter(), contenders).run((contender) -> {
			try (Loner loner = bench.crew().loner()) {
				Youth youth = loner.young(contender.id());
				Map<Metric, Double> values = new EnumMap<>(Metric.class);
				values.put(Metric.THROUGHPUT, youth.throughput());
				for (int phase = 0; phase < PHASES.size(); phase++) {
					values.put(PHASES.get(phase), youth.micros(phase));
				}
				values.put(Metric.CLIENT_CPU, youth.cpuNanos() / 1e3 / (Youth.YOUNG - 1));
				return values;
			}
		});
	}

}
