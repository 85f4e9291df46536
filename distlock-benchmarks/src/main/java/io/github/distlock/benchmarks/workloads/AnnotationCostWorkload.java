package io.github.distlock.benchmarks.workloads;

import java.util.List;
import java.util.Map;

import io.github.distlock.benchmarks.annotation.AnnotationCost;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Measurement;
import io.github.distlock.benchmarks.report.Metric;

/**
 * What the annotation costs without a store, by JMH.
 */
final class AnnotationCostWorkload implements Workload {

	@Override
	public Chapter chapter() {
		return new Chapter("annotation-cost",
				"proxy, key expression and bookkeeping of an annotated method over a registry that does nothing (JMH, average time, gc profiler)",
				"direct", Metric.NANOS, List.of(Metric.ALLOCATED));
	}

	@Override
	public List<Contender> among(List<Contender> selected) {
		return List.of();
	}

	@Override
	public void run(Bench bench, List<Contender> contenders) {
		for (AnnotationCost.Cost cost : AnnotationCost.run(bench.rounds())) {
			bench.results()
				.add(new Measurement(chapter().id(), cost.name(), 1,
						Map.of(Metric.NANOS, cost.nanos(), Metric.ALLOCATED, cost.bytes())));
		}
	}

}
