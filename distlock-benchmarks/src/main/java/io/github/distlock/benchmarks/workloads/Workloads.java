package io.github.distlock.benchmarks.workloads;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.workers.Shape;

/**
 * All workloads.
 */
public final class Workloads {

	private static final List<Metric> COST = List.of(Metric.CLIENT_COMMANDS, Metric.SCRIPT_COMMANDS, Metric.MESSAGES,
			Metric.BYTES, Metric.REDIS_CPU, Metric.CLIENT_CPU);

	private static final List<Metric> LATENCY = List.of(Metric.ACQUIRE_P50, Metric.ACQUIRE_P99, Metric.ACQUIRE_P999,
			Metric.ACQUIRE_MAX);

	private static final List<Metric> FAIRNESS = List.of(Metric.JAIN, Metric.MOST, Metric.LEAST, Metric.OVERTAKING,
			Metric.LOST_UPDATES);

	private static final List<Workload> ALL = catalogue();

	private Workloads() {
	}

	/**
	 * Return all workloads.
	 * @return those with fewer JVMs first
	 */
	public static List<Workload> all() {
		return ALL;
	}

	/**
	 * Find a workload.
	 * @param id what it is called
	 * @return the workload
	 * @throws IllegalArgumentException if there is none
	 */
	public static Workload named(String id) {
		return ALL.stream()
			.filter((workload) -> workload.chapter().id().equals(id))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no workload '" + id + "': use "
					+ ALL.stream().map((workload) -> workload.chapter().id()).collect(Collectors.joining(", "))));
	}

	private static List<Workload> catalogue() {
		List<Workload> all = new ArrayList<>();
		all.add(annotation());
		all.add(new AnnotationCostWorkload());
		for (int threads : new int[] { 1, 16, 64 }) {
			all.add(uncontended(threads));
		}
		all.add(new ExpiryWorkload(200, Duration.ofMillis(100)));
		int[][] shapes = { { 1, 1, 2 }, { 1, 1, 8 }, { 1, 1, 64 }, { 2, 1, 1 }, { 4, 1, 4 }, { 4, 1, 16 }, { 16, 1, 1 },
				{ 16, 2, 1 } };
		for (int[] shape : shapes) {
			all.add(hot(shape[0], shape[1], shape[2], Duration.ZERO));
			all.add(hot(shape[0], shape[1], shape[2], Duration.ofMillis(1)));
		}
		all.add(new OnceWorkload(10_000));
		all.add(new HeldWorkload(1_000));
		all.add(new HeldWorkload(10_000));
		return List.copyOf(all);
	}

	private static Workload uncontended(int threads) {
		Chapter chapter = new Chapter("uncontended-" + threads,
				"1 client, %d thread%s, each on a key of its own, empty section".formatted(threads,
						(threads == 1) ? "" : "s"),
				"floor", Metric.THROUGHPUT, joined(COST, LATENCY));
		return new CycleWorkload(chapter, new Shape(1, 1, threads, false, Duration.ZERO), List.of());
	}

	private static Workload annotation() {
		Chapter chapter = new Chapter("annotation",
				"1 thread, an annotated method against LockRegistry.execute with the same key, both over Redis",
				"distlock-execute", Metric.THROUGHPUT, joined(COST, LATENCY));
		return new CycleWorkload(chapter, new Shape(1, 1, 1, false, Duration.ZERO),
				List.of("distlock-execute", "distlock-annotated"));
	}

	private static Workload hot(int jvms, int clients, int threads, Duration section) {
		String id = "hot-%dx%d%s".formatted(jvms * clients, threads, section.isZero() ? "" : "-1ms");
		String description = "one key for all: %d client%s (%s) x %d thread%s, %s".formatted(jvms * clients,
				(jvms * clients == 1) ? "" : "s",
				(clients == 1) ? "each a JVM" : "%d in each of %d JVMs".formatted(clients, jvms), threads,
				(threads == 1) ? "" : "s", section.isZero() ? "empty section" : "section of 1 ms");
		return new CycleWorkload(
				new Chapter(id, description, "redisson", Metric.THROUGHPUT, joined(COST, LATENCY, FAIRNESS)),
				new Shape(jvms, clients, threads, true, section), List.of());
	}

	@SafeVarargs
	private static List<Metric> joined(List<Metric>... groups) {
		List<Metric> all = new ArrayList<>();
		for (List<Metric> group : groups) {
			all.addAll(group);
		}
		return all;
	}

}
