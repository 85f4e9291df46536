package io.github.distlock.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.function.BooleanSupplier;

import io.github.distlock.LockListener;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A real Redis, and registries of several JVMs that use it. */
public record RedisNodes(RedisTestServer server, LettuceConnectionFactory connections, Duration commandTimeout,
		List<BackendLockRegistry> nodes, List<LettuceConnectionFactory> otherConnections) implements AutoCloseable {

	/** Start the server, without nodes. No test waits for the time-out of a command. */
	public static RedisNodes start() {
		return start(Duration.ofSeconds(8));
	}

	public static RedisNodes start(Duration commandTimeout) {
		RedisTestServer server = RedisTestServer.start();
		return new RedisNodes(server, server.connectionFactory(), commandTimeout, new ArrayList<>(), new ArrayList<>());
	}

	/** The default limits of hand-offs inside a registry. */
	public static final HandOffLimits HAND_OFF = new HandOffLimits(500, Duration.ofMillis(5));

	public static RegistrySettings settings(Duration lease) {
		return settings(lease, HAND_OFF);
	}

	/**
	 * Create default settings with another lease and other limits of the hand-off. A
	 * shutdown does not wait for locks that a test still holds.
	 */
	public static RegistrySettings settings(Duration lease, HandOffLimits handOff) {
		return TestSettings.reporting(TestSettings.of(Duration.ofSeconds(5), lease, null, handOff,
				Duration.ofSeconds(10), false, Duration.ZERO), "distlock-tests", Duration.ofSeconds(10));
	}

	/** Start a registry with default settings. */
	public BackendLockRegistry node(LockListener... listeners) {
		return node(settings(Duration.ofSeconds(30)), List.of(listeners));
	}

	public BackendLockRegistry node(RegistrySettings settings, List<LockListener> listeners) {
		return node(settings, listeners, TimeSource.SYSTEM);
	}

	public BackendLockRegistry node(RegistrySettings settings, List<LockListener> listeners, TimeSource clock) {
		return node(backend(settings, clock), settings, listeners, clock);
	}

	/** Return the backend of such a registry, for one that changes it. */
	public LockBackend backend(RegistrySettings settings, TimeSource clock) {
		return backend(this.connections, settings, clock, this.commandTimeout);
	}

	public BackendLockRegistry node(LockBackend backend, RegistrySettings settings, List<LockListener> listeners,
			TimeSource clock) {
		BackendLockRegistry registry = CheckedEnvironment.registry(backend, settings, listeners, clock);
		long probes = calls("publish");
		BooleanSupplier checking = LiveThreads.anyNew("distlock-inbox-probe");
		registry.start();
		this.nodes.add(registry);
		// Until it has published to its inbox and all waiters have asked, counts differ.
		await().until(() -> calls("publish") > probes && !checking.getAsBoolean());
		return registry;
	}

	/**
	 * Start a registry that uses another port, which may be that of a proxy or unused,
	 * with a command time-out of a second.
	 */
	public BackendLockRegistry nodeBehind(int port, RegistrySettings settings, List<LockListener> listeners) {
		LettuceConnectionFactory others = RedisTestServer.connectionFactory(port);
		this.otherConnections.add(others);
		BackendLockRegistry registry = CheckedEnvironment.registry(
				backend(others, settings, TimeSource.SYSTEM, Duration.ofSeconds(1)), settings, listeners,
				TimeSource.SYSTEM);
		long inboxes = inboxes();
		registry.start();
		this.nodes.add(registry);
		if (port != this.server.port() && isOpen(port)) {
			await().until(() -> inboxes() > inboxes);
		}
		return registry;
	}

	/**
	 * Most tests start two nodes: the usual steps of 100 ms would be half of their time.
	 */
	private static ConditionFactory await() {
		return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
	}

	private static boolean isOpen(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static LockBackend backend(LettuceConnectionFactory connections, RegistrySettings settings,
			TimeSource clock, Duration commandTimeout) {
		return new RedisLockBackend(connections,
				new RedisBackendSettings("distlock:", commandTimeout, true, settings.handOff().budget() + 1), clock);
	}

	public void stopNodes() {
		this.nodes.forEach(BackendLockRegistry::shutdown);
		this.nodes.clear();
		this.otherConnections.forEach(LettuceConnectionFactory::destroy);
		this.otherConnections.clear();
	}

	public void flush() {
		ask("FLUSHALL");
	}

	public void resetStats() {
		ask("CONFIG", "RESETSTAT");
	}

	/** How often a command ran since the last reset, also inside scripts. */
	public long calls(String command) {
		return this.server.process().calls(command);
	}

	/** The number of keys of locks. */
	public long keys() {
		return list("KEYS", "*{*").size();
	}

	public long queueLength(String key) {
		return queue(key).size();
	}

	/**
	 * The tokens of the waiting tickets in the store, oldest first, after the claim of an
	 * instance if there is one.
	 */
	public List<String> queue(String key) {
		// The entries above are notes about the tickets.
		return list("ZRANGEBYSCORE", "distlock:queue:2:{" + key + "}", "0", "1e11").stream()
			.map(String::valueOf)
			.toList();
	}

	public boolean isLocked(String key) {
		String word = (String) ask("GET", "distlock:lock:{" + key + "}");
		return word != null && word.charAt(0) != '|';
	}

	/**
	 * Bytes sent and received since the last reset. Asked on the connection of the nodes,
	 * so that a question has the same number of bytes each time.
	 */
	public long networkBytes() {
		try (RedisConnection connection = this.connections.getConnection()) {
			Properties stats = connection.serverCommands().info("stats");
			return Long.parseLong(stats.getProperty("total_net_input_bytes"))
					+ Long.parseLong(stats.getProperty("total_net_output_bytes"));
		}
	}

	/** The number of JVMs that subscribe to grants. */
	public long inboxes() {
		return Long.parseLong(this.server.process().info("pubsub_channels"));
	}

	/** Break the connections of all other clients of a type, normal or pubsub. */
	public void killClients(String type) {
		ask("CLIENT", "KILL", "TYPE", type, "SKIPME", "yes");
	}

	/** Limit the server's memory, 0 for no limit. */
	public void setMaxMemory(String bytes) {
		ask("CONFIG", "SET", "maxmemory", bytes);
	}

	private @Nullable Object ask(String... words) {
		return this.server.process().ask(words);
	}

	private List<?> list(String... words) {
		return (List<?>) Objects.requireNonNull(ask(words));
	}

	@Override
	public void close() {
		stopNodes();
		this.connections.destroy();
		this.server.close();
	}

}
