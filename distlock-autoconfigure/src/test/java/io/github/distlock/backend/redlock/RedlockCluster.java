package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.distlock.backend.redis.RedisQuorumNode;
import io.github.distlock.testing.DocumentedRights;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.RespConnection;
import io.lettuce.core.resource.ClientResources;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

/**
 * Independent Redis masters that can be stopped, stalled and emptied.
 */
final class RedlockCluster implements AutoCloseable {

	private final List<@Nullable RedisProcess> servers = new ArrayList<>();

	private final List<Integer> ports;

	private final List<RedisProcess> stalled = new ArrayList<>();

	private final ClientResources resources = ClientResources.builder()
		.ioThreadPoolSize(2)
		.computationThreadPoolSize(2)
		.build();

	/** Start servers, and wait until each has been up for a second. */
	RedlockCluster(int size) {
		for (int i = 0; i < size; i++) {
			this.servers.add(startNode(RedisTestServer.freePort()));
		}
		this.ports = this.servers.stream().map((server) -> Objects.requireNonNull(server).port()).toList();
		awaitUptime();
	}

	int size() {
		return this.ports.size();
	}

	/** The nodes, as one more JVM sees them, which logs in as the documented user. */
	List<QuorumNode> nodes(Duration timeout) {
		return this.ports.stream().map((port) -> node(port, timeout)).toList();
	}

	/** The same, which count from their start. */
	List<DelegatingNode> trusted(Duration timeout) {
		return nodes(timeout).stream().map(DelegatingNode::new).toList();
	}

	private QuorumNode node(int port, Duration timeout) {
		RedisStandaloneConfiguration standalone = new RedisStandaloneConfiguration("127.0.0.1", port);
		standalone.setUsername("locks");
		standalone.setPassword("password");
		return new RedisQuorumNode("127.0.0.1:" + port, standalone,
				LettuceClientConfiguration.builder().clientResources(this.resources).build(), "distlock:", timeout);
	}

	/** Wait until each node has been up for a second. */
	void awaitUptime() {
		for (int i = 0; i < size(); i++) {
			int node = i;
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> this.servers.get(node) == null
						|| Long.parseLong(info(node, "uptime_in_seconds:(\\d+)")) > 0);
		}
	}

	void stop(int... nodes) {
		Arrays.stream(nodes).forEach((node) -> Objects.requireNonNull(this.servers.set(node, null)).close());
	}

	/** Start them again, without their data. */
	void startEmpty(int... nodes) {
		Arrays.stream(nodes).forEach((node) -> this.servers.set(node, startNode(this.ports.get(node))));
	}

	private static RedisProcess startNode(int port) {
		return RedisProcess.start(port).with(DocumentedRights.redlock());
	}

	/** Suspend processes; the kernel still accepts what is sent to them. */
	void stall(int... nodes) {
		for (int node : nodes) {
			RedisProcess process = Objects.requireNonNull(this.servers.get(node));
			this.stalled.add(process);
			process.pause();
		}
	}

	/** Resume the processes. */
	void resume() {
		this.stalled.forEach(RedisProcess::resume);
		this.stalled.clear();
	}

	/** How many keys all nodes have. */
	long keys() {
		return running().mapToLong((node) -> Long.parseLong(ask(node, "DBSIZE"))).sum();
	}

	/** How many nodes hold a lock. */
	int holders(String key) {
		return (int) running().filter((node) -> word(node, key).startsWith("+")).count();
	}

	/** How many scripts have been run on a node. */
	long scripts(int node) {
		return Long.parseLong(info(node, "cmdstat_evalsha:calls=(\\d+),.*"));
	}

	/** The word of a lock on a node. */
	String word(int node, String key) {
		return ask(node, "GET distlock:redlock:lock:{" + key + "}");
	}

	/** How many tickets are queued on all nodes. */
	long queued(String key) {
		return running().mapToLong((node) -> Long.parseLong(ask(node, "LLEN distlock:redlock:queue:{" + key + "}")))
			.sum();
	}

	void setWord(String key, String word, int... nodes) {
		Arrays.stream(nodes).forEach((node) -> ask(node, "SET distlock:redlock:lock:{" + key + "} " + word));
	}

	String floor(int node, String key) {
		return ask(node, "GET distlock:redlock:floor:{" + key + "}");
	}

	private IntStream running() {
		return IntStream.range(0, size()).filter((node) -> this.servers.get(node) != null);
	}

	/** Send a command to all nodes. */
	void ask(String line) {
		running().forEach((node) -> ask(node, line));
	}

	/** The answer to a command, or an empty text if it is none. */
	String ask(int node, String line) {
		try (RespConnection connection = new RespConnection(this.ports.get(node))) {
			return Objects.requireNonNullElse(connection.ask(line.split(" ")), "").toString();
		}
	}

	/** The group of the line of INFO that matches, or zero. */
	private String info(int node, String line) {
		return ask(node, "INFO all").lines()
			.filter((each) -> each.matches(line))
			.map((each) -> each.replaceAll(line, "$1"))
			.findFirst()
			.orElse("0");
	}

	@Override
	public void close() {
		resume();
		this.servers.stream().filter(Objects::nonNull).forEach((server) -> Objects.requireNonNull(server).close());
		this.resources.shutdown(0, 0, TimeUnit.SECONDS);
	}

}
