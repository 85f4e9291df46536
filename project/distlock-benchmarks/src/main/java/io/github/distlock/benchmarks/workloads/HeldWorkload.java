package io.github.distlock.benchmarks.workloads;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.servers.Deployment;
import io.github.distlock.benchmarks.servers.redis.CommandShares;
import io.github.distlock.benchmarks.servers.redis.RedisFigures;
import io.github.distlock.benchmarks.workers.Loner;

/**
 * What the watchdog costs while many locks are held. Each contender has a JVM of its own,
 * once: these are counts, and counts need no rounds.
 *
 * @param locks how many
 */
record HeldWorkload(int locks) implements Workload {

	/** Two renewals of a lease of 30 s, and a bit. */
	private static final Duration OBSERVED = Duration.ofSeconds(21);

	/** A JVM with this many timer threads would measure the operating system. */
	private static final int THREAD_PER_LOCK_LIMIT = 2000;

	@Override
	public Chapter chapter() {
		return new Chapter("held-" + this.locks,
				"%,d locks held for %d s, leases of 30 s kept by the watchdog: what the server gets meanwhile, what a lock costs the client"
					.formatted(this.locks, OBSERVED.toSeconds()),
				"", Metric.COMMANDS_PER_SECOND,
				List.of(Metric.REDIS_LOAD, Metric.THREADS, Metric.HEAP_PER_LOCK, Metric.STILL_HELD, Metric.KEYS_LEFT));
	}

	@Override
	public Deployment deployment() {
		return Deployment.REDIS;
	}

	@Override
	public List<Contender> among(List<Contender> selected) {
		return selected.stream()
			.filter((contender) -> contender.stores().contains(Kind.REDIS))
			.filter((contender) -> contender.abilities().contains(Ability.RENEWS)
					&& (this.locks <= THREAD_PER_LOCK_LIMIT || !contender.id().equals("lock4j-watchdog")))
			.toList();
	}

	@Override
	public void run(Bench bench, List<Contender> contenders) {
		new Rounds(bench, chapter(), contenders).once((contender) -> {
			try (Loner loner = bench.crew().loner()) {
				Loner.Cost cost = loner.hold(contender.id(), this.locks);
				CommandShares[] shares = new CommandShares[1];
				RedisFigures figures = bench.redis()
					.during(() -> shares[0] = bench.redis().monitor(() -> Waits.pass(OBSERVED)));
				double seconds = OBSERVED.toMillis() / 1e3;
				double sent = shares[0].sentByClients(figures);
				Map<Metric, Double> values = new EnumMap<>(Metric.class);
				values.put(Metric.COMMANDS_PER_SECOND, sent / seconds);
				values.put(Metric.REDIS_LOAD, figures.cpuMicros() / seconds / 1e4);
				values.put(Metric.THREADS, (double) cost.threads());
				values.put(Metric.HEAP_PER_LOCK, (double) cost.heapPerLock());
				values.put(Metric.STILL_HELD, (double) loner.drop());
				values.put(Metric.KEYS_LEFT, (double) bench.redis().keys(Loner.keys(contender.id())));
				return values;
			}
		});
	}

}
