package io.github.distlock.benchmarks.workloads;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.servers.Deployment;
import io.github.distlock.benchmarks.workers.Loner;

/**
 * What stays of many keys that were used once: in the heap of a client, which is a JVM of
 * its own, and in the server.
 *
 * @param count how many keys
 */
record OnceWorkload(int count) implements Workload {

	/** Longer than tombstones live that keep fencing tokens rising. */
	private static final Duration LATER = Duration.ofSeconds(12);

	@Override
	public Chapter chapter() {
		return new Chapter("once-" + this.count,
				"%,d keys, each locked and released once: what stays of them in the client's heap, and in the server at once and after %d s"
					.formatted(this.count, LATER.toSeconds()),
				"", Metric.HEAP_PER_KEY, List.of(Metric.KEYS_LEFT, Metric.KEYS_LEFT_LATER));
	}

	@Override
	public Deployment deployment() {
		return Deployment.REDIS;
	}

	@Override
	public List<Contender> among(List<Contender> selected) {
		return selected.stream()
			.filter((contender) -> contender.stores().contains(Kind.REDIS))
			.filter((contender) -> contender.abilities().contains(Ability.WAITS) || contender.id().equals("shedlock"))
			.toList();
	}

	@Override
	public void run(Bench bench, List<Contender> contenders) {
		new Rounds(bench, chapter(), contenders).once((contender) -> {
			try (Loner loner = bench.crew().loner()) {
				double heap = loner.forget(contender.id(), this.count);
				double atOnce = bench.redis().keys(Loner.keys(contender.id()));
				Waits.pass(LATER);
				return Map.of(Metric.HEAP_PER_KEY, heap, Metric.KEYS_LEFT, atOnce, Metric.KEYS_LEFT_LATER,
						(double) bench.redis().keys(Loner.keys(contender.id())));
			}
		});
	}

}
