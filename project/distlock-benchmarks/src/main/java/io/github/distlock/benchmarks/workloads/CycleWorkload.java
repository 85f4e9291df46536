package io.github.distlock.benchmarks.workloads;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.distlock.benchmarks.catalogue.Contenders;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.report.Statistics;
import io.github.distlock.benchmarks.servers.Deployment;
import io.github.distlock.benchmarks.servers.ServerCount;
import io.github.distlock.benchmarks.workers.Crew.Slice;
import io.github.distlock.benchmarks.workers.Shape;
import io.github.distlock.benchmarks.workers.Tally;

/**
 * Acquire and release as fast as possible, on a key of each thread or on one for all.
 *
 * @param chapter what the report says of it
 * @param deployment what the locks are kept in
 * @param shape who locks what
 * @param only contenders that it is made for; nobody in particular if empty
 * @param warmUp what precedes the slices
 */
record CycleWorkload(Chapter chapter, Deployment deployment, Shape shape, List<String> only,
		WarmUp warmUp) implements Workload {

	/** Enough to see what is sent, short enough not to matter. */
	private static final Duration WATCHED = Duration.ofMillis(200);

	private static final Duration FIRST_CYCLE = Duration.ofMillis(20);

	private static final int MOST_ATTEMPTS = 100;

	/** A server that is a JVM must not be cold, too. */
	private static final Duration SERVER_WARM_UP = Duration.ofSeconds(2);

	@Override
	public List<Workload> after(List<WarmUp> warmUps) {
		return warmUps.stream().map(this::after).toList();
	}

	private Workload after(WarmUp warmUp) {
		return new CycleWorkload(warmUp.named(this.chapter), this.deployment, this.shape, this.only, warmUp);
	}

	@Override
	public List<Contender> among(List<Contender> selected) {
		if (!this.only.isEmpty()) {
			return Contenders.only(this.only, selected);
		}
		Ability ability = this.shape.contended() ? Ability.WAITS : Ability.CYCLES;
		return selected.stream()
			.filter((contender) -> contender.stores().contains(this.deployment.kind()))
			.filter((contender) -> contender.abilities().contains(ability))
			.toList();
	}

	@Override
	public void run(Bench bench, List<Contender> contenders) {
		Map<String, ServerCount> counts = new HashMap<>();
		Rounds rounds = new Rounds(bench, this.chapter, contenders);
		rounds.prepare((contender) -> {
			open(bench, contender);
			bench.crew().slice(contender.id(), this.shape, this.warmUp.cold() ? SERVER_WARM_UP : this.warmUp.time());
			counts.put(contender.id(), bench.server()
				.learn(() -> bench.crew().slice(contender.id(), this.shape, WATCHED).tally().cycles()));
		});
		rounds.run((contender) -> {
			// Opens again what a contender that failed took down.
			open(bench, contender);
			if (this.warmUp.cold()) {
				connect(bench, contender);
				bench.crew().slice(contender.id(), this.shape, this.warmUp.time());
			}
			return measure(bench, contender, Objects.requireNonNull(counts.get(contender.id())));
		});
		if (this.warmUp.cold()) {
			bench.crew().close();
		}
	}

	private void open(Bench bench, Contender contender) {
		if (this.warmUp.cold()) {
			bench.crew().close();
		}
		bench.crew().open(contender.id(), this.shape);
	}

	/**
	 * The first cycle opens connections. A new JVM may be late for a short slice, and
	 * lock not once.
	 */
	private void connect(Bench bench, Contender contender) {
		int slices = 1;
		while (bench.crew().slice(contender.id(), this.shape, FIRST_CYCLE).tally().cycles() == 0) {
			if (slices == MOST_ATTEMPTS) {
				throw new IllegalStateException("locked not once in " + slices + " slices");
			}
			slices++;
		}
	}

	private Map<Metric, Double> measure(Bench bench, Contender contender, ServerCount count) {
		List<Slice> slices = new ArrayList<>();
		Map<Metric, Double> server = count.during(() -> {
			slices.add(bench.crew().slice(contender.id(), this.shape, bench.slice()));
			return slices.get(0).tally().cycles();
		});
		Map<Metric, Double> values = values(slices.get(0), bench.slice());
		values.putAll(server);
		return values;
	}

	private Map<Metric, Double> values(Slice slice, Duration duration) {
		Tally tally = slice.tally();
		double cycles = Math.max(1, tally.cycles());
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		values.put(Metric.THROUGHPUT, tally.counted() * 1e9 / duration.toNanos());
		values.put(Metric.ACQUIRE_P50, tally.latencies().quantile(0.5) / 1e3);
		values.put(Metric.ACQUIRE_P99, tally.latencies().quantile(0.99) / 1e3);
		values.put(Metric.ACQUIRE_P999, tally.latencies().quantile(0.999) / 1e3);
		values.put(Metric.ACQUIRE_MAX, tally.latencies().max() / 1e3);
		values.put(Metric.JAIN, Statistics.jain(tally.perThread()));
		values.put(Metric.MOST, tally.perThread().stream().mapToDouble(Long::doubleValue).max().orElse(0));
		values.put(Metric.LEAST, tally.perThread().stream().mapToDouble(Long::doubleValue).min().orElse(0));
		values.put(Metric.OVERTAKING, tally.passages().overtaking(this.shape.keys().holders()) * 100);
		values.put(Metric.CLIENT_CPU, tally.cpuNanos() / 1e3 / cycles);
		values.put(Metric.LOST_UPDATES, (double) slice.lostUpdates());
		return values;
	}

}
