package io.github.distlock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A real Redis Cluster on this machine: three masters, some of them with a replica. The
 * masters are the first ones, as long as no other node has taken over.
 */
public record RedisClusterNodes(List<RedisProcess> masters, List<RedisProcess> replicas) implements AutoCloseable {

	private static final int MASTERS = 3;

	private static final int SLOTS = 16384;

	/** The offset of the port on which the nodes communicate. */
	private static final int BUS_OFFSET = 10000;

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	/** Start a cluster in which some of the masters have a replica. */
	public static RedisClusterNodes start(int replicas) {
		RedisClusterNodes cluster = new RedisClusterNodes(startNodes(MASTERS), startNodes(replicas));
		try {
			cluster.join();
			return cluster;
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
	}

	private static List<RedisProcess> startNodes(int count) {
		return IntStream.range(0, count).mapToObj((i) -> startNode()).toList();
	}

	/**
	 * Start a node that belongs to no cluster yet. Another process may take a port
	 * between its choice and its use.
	 */
	public static RedisProcess startNode() {
		for (int tries = 1;; tries++) {
			int port = freePort();
			try {
				return RedisProcess
					.start(port, "cluster-enabled yes", "cluster-node-timeout 1500",
							"cluster-replica-validity-factor 0", "cluster-require-full-coverage no")
					.with(DocumentedRights.standalone(), DocumentedRights.cluster());
			}
			catch (IllegalStateException ex) {
				if (tries == 5) {
					throw ex;
				}
			}
		}
	}

	/** Both ports are below the range that the system gives to clients. */
	private static int freePort() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(11000, 22000);
			if (FreePorts.isFree(port) && FreePorts.isFree(port + BUS_OFFSET)) {
				return port;
			}
		}
	}

	private void join() {
		for (int i = 0; i < MASTERS; i++) {
			RedisProcess master = this.masters.get(i);
			master.ask("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
			List<String> slots = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
			IntStream.range(SLOTS * i / MASTERS, SLOTS * (i + 1) / MASTERS)
				.forEach((slot) -> slots.add(Integer.toString(slot)));
			master.ask(slots.toArray(String[]::new));
		}
		List<RedisProcess> all = all();
		for (RedisProcess node : all) {
			for (RedisProcess other : all) {
				node.ask("CLUSTER", "MEET", "127.0.0.1", Integer.toString(other.port()));
			}
		}
		await(() -> all.stream().allMatch((node) -> nodesKnownTo(node) == all.size()));
		for (int i = 0; i < this.replicas.size(); i++) {
			this.replicas.get(i).ask("CLUSTER", "REPLICATE", id(this.masters.get(i)));
		}
		await(() -> all.stream().allMatch(RedisClusterNodes::isOk)
				&& this.replicas.stream().allMatch((replica) -> replica.info("master_link_status").equals("up")));
		await(() -> all.stream()
			.allMatch((node) -> nodes(node).filter((line) -> line.contains("slave")).count() == this.replicas.size()));
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(condition);
	}

	private static long nodesKnownTo(RedisProcess node) {
		return nodes(node).filter((line) -> !line.contains("handshake") && line.contains("connected")).count();
	}

	private static Stream<String> nodes(RedisProcess node) {
		return String.valueOf(node.ask("CLUSTER", "NODES")).lines();
	}

	private static boolean isOk(RedisProcess node) {
		return String.valueOf(node.ask("CLUSTER", "INFO")).contains("cluster_state:ok");
	}

	public static String id(RedisProcess node) {
		return String.valueOf(node.ask("CLUSTER", "MYID"));
	}

	public List<RedisProcess> all() {
		List<RedisProcess> all = new ArrayList<>(this.masters);
		all.addAll(this.replicas);
		return all;
	}

	public String keyOn(RedisProcess master, String start) {
		int index = this.masters.indexOf(master);
		for (int i = 0;; i++) {
			String key = start + "-" + i;
			int slot = slot(key);
			if (slot >= SLOTS * index / MASTERS && slot < SLOTS * (index + 1) / MASTERS) {
				return key;
			}
		}
	}

	public static int slot(String key) {
		return ClusterSlotHashUtil.calculateSlot("{" + key + "}");
	}

	/**
	 * Connect as the documented user, as an application whose driver does not refresh the
	 * topology.
	 */
	public LettuceConnectionFactory connectionFactory() {
		return connectionFactory("distlock");
	}

	/** Connect as a user, whose password is {@code password}. */
	public LettuceConnectionFactory connectionFactory(String user) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		configuration.setUsername(user);
		configuration.setPassword("password");
		this.masters.forEach((node) -> configuration.addClusterNode(new RedisNode("127.0.0.1", node.port())));
		ClusterTopologyRefreshOptions never = ClusterTopologyRefreshOptions.builder()
			.disableAllAdaptiveRefreshTriggers()
			.build();
		return RedisTestServer.started(new LettuceConnectionFactory(configuration,
				LettuceClientConfiguration.builder()
					.clientOptions(ClusterClientOptions.builder().topologyRefreshOptions(never).build())
					.build()));
	}

	/** Move a slot with all its keys, as resharding does, while clients continue. */
	public void moveSlot(int slot, RedisProcess from, RedisProcess to) {
		moveSlot(slot, from, to, () -> {
		});
	}

	/**
	 * Move a slot, and do something after its keys have moved and before the slot has.
	 */
	public void moveSlot(int slot, RedisProcess from, RedisProcess to, Runnable between) {
		String number = Integer.toString(slot);
		to.ask("CLUSTER", "SETSLOT", number, "IMPORTING", id(from));
		from.ask("CLUSTER", "SETSLOT", number, "MIGRATING", id(to));
		List<?> keys;
		do {
			keys = (List<?>) Objects.requireNonNull(from.ask("CLUSTER", "GETKEYSINSLOT", number, "100"));
			for (Object key : keys) {
				from.ask("MIGRATE", "127.0.0.1", Integer.toString(to.port()), String.valueOf(key), "0", "5000");
			}
		}
		while (!keys.isEmpty());
		between.run();
		for (RedisProcess master : List.of(to, from)) {
			master.ask("CLUSTER", "SETSLOT", number, "NODE", id(to));
		}
	}

	@Override
	public void close() {
		all().forEach(RedisProcess::close);
	}

}
