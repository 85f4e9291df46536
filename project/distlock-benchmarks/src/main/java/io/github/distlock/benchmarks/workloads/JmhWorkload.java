package io.github.distlock.benchmarks.workloads;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.github.distlock.benchmarks.annotation.AnnotationCost;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.jmh.JmhRun;
import io.github.distlock.benchmarks.local.LocalCost;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Measurement;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.servers.Deployment;
import io.github.distlock.benchmarks.transaction.TransactionCost;

/**
 * What starts its servers itself or needs none, by JMH: one JVM for each benchmark and
 * round, in an order that rotates.
 *
 * @param chapter what the report says of it
 * @param type the benchmarks, each of which is a contender
 * @param warmUp what precedes the slices
 */
record JmhWorkload(Chapter chapter, Class<?> type, WarmUp warmUp) implements Workload {

	static JmhWorkload annotation(WarmUp warmUp) {
		return new JmhWorkload(chapter("annotation-cost",
				"proxy, key expression and bookkeeping of an annotated method over a registry that does nothing",
				"direct"), AnnotationCost.class, warmUp);
	}

	static JmhWorkload local(WarmUp warmUp) {
		return new JmhWorkload(chapter("local-cost",
				"1 thread, 1 key, locks in the memory of this JVM: distlock, Spring Integration's DefaultLockRegistry, a bare ReentrantLock",
				"springIntegration"), LocalCost.class, warmUp);
	}

	static JmhWorkload transaction(WarmUp warmUp) {
		return new JmhWorkload(chapter("transaction-cost",
				"1 thread, 1 row of PostgreSQL, a SELECT and an UPDATE in a transaction: without a lock, with a lock in Redis, with the fence, mode connection, SELECT FOR UPDATE",
				"unlocked"), TransactionCost.class, warmUp);
	}

	private static Chapter chapter(String id, String description, String reference) {
		return new Chapter(id, description + " (JMH, average time, gc profiler)", reference, Metric.NANOS,
				List.of(Metric.ALLOCATED));
	}

	@Override
	public Deployment deployment() {
		return Deployment.NONE;
	}

	@Override
	public List<Workload> after(List<WarmUp> warmUps) {
		return warmUps.stream()
			.<Workload>map((warm) -> new JmhWorkload(warm.named(this.chapter), this.type, warm))
			.toList();
	}

	@Override
	public List<Contender> among(List<Contender> selected) {
		return List.of();
	}

	@Override
	public void run(Bench bench, List<Contender> contenders) {
		JmhRun jmh = new JmhRun(this.type, this.warmUp.time(), bench.slice());
		List<String> order = new ArrayList<>(JmhRun.names(this.type));
		for (int round = 1; round <= bench.rounds(); round++) {
			for (String name : order) {
				JmhRun.Cost cost = jmh.run(name);
				bench.results()
					.add(new Measurement(this.chapter.id(), name, round,
							Map.of(Metric.NANOS, cost.nanos(), Metric.ALLOCATED, cost.bytes())));
			}
			Collections.rotate(order, 1);
		}
	}

}
