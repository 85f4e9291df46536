package io.github.distlock.benchmarks.workloads;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.servers.Deployment;
import io.github.distlock.benchmarks.workers.Keys;
import io.github.distlock.benchmarks.workers.Shape;

/**
 * Makes the workloads of one deployment, and names what each is compared with.
 *
 * @param deployment what the locks are kept in
 */
record Cycles(Deployment deployment) {

	/** Until a run says otherwise. */
	static final WarmUp WARM = new WarmUp(Duration.ofSeconds(1), false);

	private static final List<Metric> LATENCY = List.of(Metric.ACQUIRE_P50, Metric.ACQUIRE_P99, Metric.ACQUIRE_P999,
			Metric.ACQUIRE_MAX);

	private static final List<Metric> FAIRNESS = List.of(Metric.JAIN, Metric.MOST, Metric.LEAST, Metric.OVERTAKING,
			Metric.LOST_UPDATES);

	private static final List<String> PERMITS = List.of("distlock-permits", "redisson-permits", "redisson-semaphore");

	Workload uncontended(int threads) {
		return workload("uncontended-" + threads,
				"1 client, %d thread%s, each on a key of its own, empty section".formatted(threads, plural(threads)),
				peer("floor"), shape(1, 1, threads, Keys.OWN), List.of());
	}

	Workload newKeys() {
		return workload("new-keys-1", "1 client, 1 thread, another key in each cycle, empty section", peer("floor"),
				shape(1, 1, 1, Keys.NEW), List.of());
	}

	Workload sameKey() {
		return workload("same-key-1", "1 client, 1 thread, one key again and again, empty section", peer("floor"),
				shape(1, 1, 1, Keys.ONE), List.of());
	}

	Workload triedKey() {
		return workload("tried-key-2",
				"2 clients, each a JVM: 1 thread of one locks one key again and again, 1 thread of the other tries it once every 10 ms, empty section",
				"distlock", shape(2, 1, 1, Keys.TRIED), List.of("distlock", "redisson"));
	}

	Workload annotation() {
		return workload("annotation",
				"1 thread, an annotated method against LockRegistry.execute with the same key, both over Redis",
				"distlock-execute", shape(1, 1, 1, Keys.OWN), List.of("distlock-execute", "distlock-annotated"));
	}

	Workload hot(int jvms, int clients, int threads) {
		return hot(jvms, clients, threads, Duration.ZERO);
	}

	Workload hot(int jvms, int clients, int threads, Duration section) {
		String id = "hot-%dx%d%s".formatted(jvms * clients, threads,
				section.isZero() ? "" : "-" + section.toMillis() + "ms");
		String description = "one key for all: %s, %s".formatted(crowd(jvms, clients, threads),
				section.isZero() ? "empty section" : "section of " + section.toMillis() + " ms");
		return workload(id, description, peer("redisson"), new Shape(jvms, clients, threads, Keys.ONE, section),
				List.of());
	}

	/** A key with five permits for each thread. */
	Workload permits() {
		return workload("permits-1", "1 client, 1 thread, 5 permits of a key of its own, empty section",
				"redisson-permits", shape(1, 1, 1, Keys.OWN), PERMITS);
	}

	Workload permits(int jvms, int threads, Duration section) {
		return workload("permits-%dx%d-%dms".formatted(jvms, threads, section.toMillis()),
				"5 permits of one key for all: %s, section of %d ms".formatted(crowd(jvms, 1, threads),
						section.toMillis()),
				"redisson-permits", new Shape(jvms, 1, threads, Keys.SHARED, section), PERMITS);
	}

	Workload fair(int jvms, int threads) {
		List<String> orderly = (this.deployment == Deployment.ZOOKEEPER)
				? List.of("distlock-fair", "curator", "spring-zookeeper") : List.of("distlock-fair", "redisson-fair");
		return workload("fair-%dx%d".formatted(jvms, threads),
				"one key for all, in the order of arrival: %s, empty section".formatted(crowd(jvms, 1, threads)),
				peer("redisson-fair"), shape(jvms, 1, threads, Keys.ONE), orderly);
	}

	private Workload workload(String id, String description, String reference, Shape shape, List<String> only) {
		List<Metric> columns = Stream.of(cost(), LATENCY, shape.contended() ? FAIRNESS : List.<Metric>of())
			.flatMap(List::stream)
			.toList();
		return new CycleWorkload(new Chapter(this.deployment.prefix() + id, description + this.deployment.description(),
				reference, Metric.THROUGHPUT, columns), this.deployment, shape, only, WARM);
	}

	private static Shape shape(int jvms, int clients, int threads, Keys keys) {
		return new Shape(jvms, clients, threads, keys, Duration.ZERO);
	}

	/** What others are compared with, which is another one if the store is not Redis. */
	String peer(String inRedis) {
		return switch (this.deployment.kind()) {
			case JDBC -> "spring-jdbc";
			case ZOOKEEPER -> "curator";
			case REDLOCK -> "redisson-multi";
			default -> inRedis;
		};
	}

	private List<Metric> cost() {
		return switch (this.deployment) {
			case POSTGRESQL ->
				List.of(Metric.STATEMENTS, Metric.WRITES, Metric.LOG_BYTES, Metric.SERVER_CPU, Metric.CLIENT_CPU);
			case H2 -> List.of(Metric.STATEMENTS, Metric.SERVER_CPU, Metric.CLIENT_CPU);
			case ZOOKEEPER -> List.of(Metric.REQUESTS, Metric.ANSWERS, Metric.SERVER_CPU, Metric.CLIENT_CPU);
			default -> List.of(Metric.CLIENT_COMMANDS, Metric.SCRIPT_COMMANDS, Metric.MESSAGES, Metric.BYTES,
					Metric.SERVER_CPU, Metric.CLIENT_CPU);
		};
	}

	private static String crowd(int jvms, int clients, int threads) {
		int all = jvms * clients;
		return "%d client%s (%s) x %d thread%s".formatted(all, plural(all),
				(clients == 1) ? "each a JVM" : "%d in each of %d JVMs".formatted(clients, jvms), threads,
				plural(threads));
	}

	private static String plural(int count) {
		return (count == 1) ? "" : "s";
	}

}
