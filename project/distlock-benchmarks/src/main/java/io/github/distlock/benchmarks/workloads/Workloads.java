package io.github.distlock.benchmarks.workloads;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.benchmarks.servers.Deployment;

/**
 * All workloads.
 */
public final class Workloads {

	private static final List<Workload> ALL = catalogue();

	private Workloads() {
	}

	/**
	 * Return all workloads.
	 * @return by deployment, and those with fewer JVMs first
	 */
	public static List<Workload> all() {
		return ALL;
	}

	/**
	 * Find workloads.
	 * @param name what one is called, or what all workloads of a deployment begin with
	 * @return at least one workload
	 * @throws IllegalArgumentException if there is none
	 */
	public static List<Workload> named(String name) {
		boolean deployment = groups().contains(name);
		List<Workload> found = ALL.stream()
			.filter((workload) -> deployment ? workload.deployment().prefix().equals(name + "-")
					: workload.chapter().id().equals(name))
			.toList();
		if (found.isEmpty()) {
			throw new IllegalArgumentException("There is no workload '" + name + "': use "
					+ Stream.concat(ALL.stream().map((workload) -> workload.chapter().id()), groups().stream())
						.collect(Collectors.joining(", ")));
		}
		return found;
	}

	/**
	 * Return the names that stand for several workloads.
	 * @return what the workloads of each deployment begin with
	 */
	public static List<String> groups() {
		return Arrays.stream(Deployment.values())
			.map(Deployment::prefix)
			.filter((prefix) -> !prefix.isEmpty())
			.map((prefix) -> prefix.substring(0, prefix.length() - 1))
			.toList();
	}

	private static List<Workload> catalogue() {
		List<Workload> all = new ArrayList<>(List.of(JmhWorkload.annotation(Cycles.WARM),
				JmhWorkload.local(Cycles.WARM), JmhWorkload.transaction(Cycles.WARM)));
		all.addAll(redis());
		for (Deployment redis : new Deployment[] { Deployment.DELAYED, Deployment.TLS, Deployment.REPLICA }) {
			Cycles cycles = new Cycles(redis);
			all.addAll(List.of(cycles.uncontended(1), cycles.uncontended(64), cycles.hot(1, 1, 64), cycles.hot(2, 1, 1),
					cycles.hot(4, 1, 16), cycles.fair(4, 16)));
		}
		Cycles redlock = new Cycles(Deployment.REDLOCK);
		all.addAll(List.of(redlock.uncontended(1), redlock.uncontended(16), redlock.hot(1, 1, 16), redlock.hot(2, 1, 1),
				redlock.hot(4, 1, 16)));
		for (Deployment database : new Deployment[] { Deployment.POSTGRESQL, Deployment.H2 }) {
			Cycles cycles = new Cycles(database);
			all.addAll(List.of(cycles.uncontended(1), cycles.uncontended(8), cycles.hot(1, 1, 8), cycles.hot(1, 1, 16),
					cycles.hot(2, 1, 1), cycles.hot(2, 1, 1, Duration.ofMillis(20)), cycles.hot(4, 1, 4)));
		}
		Cycles zooKeeper = new Cycles(Deployment.ZOOKEEPER);
		all.addAll(List.of(zooKeeper.uncontended(1), zooKeeper.uncontended(16), zooKeeper.hot(1, 1, 16),
				zooKeeper.fair(1, 16), zooKeeper.hot(2, 1, 1), zooKeeper.hot(4, 1, 4), zooKeeper.fair(4, 4)));
		for (Deployment young : new Deployment[] { Deployment.REDIS, Deployment.REDLOCK, Deployment.POSTGRESQL,
				Deployment.H2, Deployment.ZOOKEEPER }) {
			all.add(new YoungWorkload(new Cycles(young)));
		}
		return List.copyOf(all);
	}

	private static List<Workload> redis() {
		Cycles redis = new Cycles(Deployment.REDIS);
		List<Workload> all = new ArrayList<>(List.of(redis.annotation(), redis.uncontended(1), redis.uncontended(16),
				redis.uncontended(64), redis.sameKey(), redis.triedKey(), redis.newKeys(),
				new ExpiryWorkload(200, Duration.ofMillis(100))));
		int[][] shapes = { { 1, 1, 2 }, { 1, 1, 8 }, { 1, 1, 64 }, { 2, 1, 1 }, { 4, 1, 4 }, { 4, 1, 16 }, { 16, 1, 1 },
				{ 16, 2, 1 } };
		for (int[] shape : shapes) {
			all.add(redis.hot(shape[0], shape[1], shape[2]));
			all.add(redis.hot(shape[0], shape[1], shape[2], Duration.ofMillis(1)));
		}
		all.addAll(List.of(redis.fair(1, 64), redis.fair(4, 16), redis.permits(),
				redis.permits(4, 16, Duration.ofMillis(1)), new OnceWorkload(10_000), new HeldWorkload(1_000),
				new HeldWorkload(10_000)));
		return all;
	}

}
