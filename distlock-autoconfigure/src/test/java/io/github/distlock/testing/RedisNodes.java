package io.github.distlock.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.github.distlock.LockListener;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings;
import io.github.distlock.waiting.HandOffLimits;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A real Redis, and registries of several JVMs that use it.
 */
public final class RedisNodes implements AutoCloseable {

	private final RedisTestServer server;

	private final LettuceConnectionFactory connections;

	private final List<BackendLockRegistry> nodes = new ArrayList<>();

	private final List<LettuceConnectionFactory> otherConnections = new ArrayList<>();

	private RedisNodes(RedisTestServer server) {
		this.server = server;
		this.connections = server.connectionFactory();
	}

	/** Start the server, without nodes. */
	public static RedisNodes start() {
		return new RedisNodes(RedisTestServer.start());
	}

	/** The default limits of hand-offs inside a registry. */
	public static final HandOffLimits HAND_OFF = new HandOffLimits(500, Duration.ofMillis(5));

	/** Create default settings with another lease. */
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

	/** Start a registry. */
	public BackendLockRegistry node(RegistrySettings settings, List<LockListener> listeners) {
		return node(settings, listeners, TimeSource.SYSTEM);
	}

	/** Start a registry with a clock of its own. */
	public BackendLockRegistry node(RegistrySettings settings, List<LockListener> listeners, TimeSource clock) {
		BackendLockRegistry registry = registry(this.connections, settings, listeners, clock);
		long probes = calls("publish");
		BooleanSupplier checking = LiveThreads.anyNew("distlock-inbox-probe");
		registry.start();
		this.nodes.add(registry);
		// Until it has published to its inbox and all waiters have asked, counts differ.
		await().until(() -> calls("publish") > probes && !checking.getAsBoolean());
		return registry;
	}

	/**
	 * Start a registry that uses another port, which may be that of a proxy or unused.
	 */
	public BackendLockRegistry nodeBehind(int port, RegistrySettings settings, List<LockListener> listeners) {
		LettuceConnectionFactory others = RedisTestServer.connectionFactory(port);
		this.otherConnections.add(others);
		BackendLockRegistry registry = registry(others, settings, listeners, TimeSource.SYSTEM);
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

	private static BackendLockRegistry registry(LettuceConnectionFactory connections, RegistrySettings settings,
			List<LockListener> listeners, TimeSource clock) {
		RedisBackendSettings backend = new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true,
				settings.handOff().budget() + 1);
		return new BackendLockRegistry(new RedisLockBackend(connections, backend, clock), settings, listeners, clock);
	}

	/** Shut all registries down. */
	public void stopNodes() {
		this.nodes.forEach(BackendLockRegistry::shutdown);
		this.nodes.clear();
		this.otherConnections.forEach(LettuceConnectionFactory::destroy);
		this.otherConnections.clear();
	}

	/** Remove all data. */
	public void flush() {
		try (RedisConnection connection = this.connections.getConnection()) {
			connection.serverCommands().flushAll();
		}
	}

	/** Reset the command counters. */
	public void resetStats() {
		try (RedisConnection connection = this.connections.getConnection()) {
			connection.serverCommands().resetConfigStats();
		}
	}

	/** How often a command ran since the last reset, also inside scripts. */
	public long calls(String command) {
		try (RedisConnection connection = this.connections.getConnection()) {
			return RedisTestServer.calls(connection, command);
		}
	}

	/** The number of keys of locks. */
	public long keys() {
		try (RedisConnection connection = this.connections.getConnection()) {
			byte[] ofLocks = "*{*".getBytes(StandardCharsets.UTF_8);
			return Objects.requireNonNull(connection.keyCommands().keys(ofLocks)).size();
		}
	}

	/** The number of waiting tickets in the store. */
	public long queueLength(String key) {
		return queue(key).size();
	}

	/**
	 * Whether a waiting ticket is marked in the store as counted: the server has counted
	 * the inbox of its JVM.
	 */
	public boolean hasCountedTicket(String key) {
		return queue(key).stream().anyMatch((token) -> ask((connection) -> {
			Double note = connection.zSetCommands().zScore(bytes("distlock:queue:2:{" + key + "}"), bytes("#" + token));
			return note != null && note % 2 == 1;
		}));
	}

	/**
	 * The tokens of the waiting tickets in the store, oldest first, after the claim of an
	 * instance if there is one.
	 */
	public List<String> queue(String key) {
		// The entries above are notes about the tickets.
		return ask((connection) -> connection.zSetCommands()
			.zRangeByScore(bytes("distlock:queue:2:{" + key + "}"), 0, 1e11)
			.stream()
			.map((entry) -> new String(entry, StandardCharsets.UTF_8))
			.toList());
	}

	public void forgetQueue(String key) {
		ask((connection) -> connection.keyCommands().del(bytes("distlock:queue:2:{" + key + "}")));
	}

	/** Whether a lock has an owner in the store. */
	public boolean isLocked(String key) {
		byte[] word = ask((connection) -> connection.stringCommands().get(bytes("distlock:lock:{" + key + "}")));
		return word != null && word[0] != '|';
	}

	/** How long the entry of a lock remains in the store, negative if there is none. */
	public long remainingMillis(String key) {
		return ask((connection) -> connection.keyCommands().pTtl(bytes("distlock:lock:{" + key + "}")));
	}

	/** Bytes sent and received since the last reset. */
	public long networkBytes() {
		return ask((connection) -> {
			Properties stats = connection.serverCommands().info("stats");
			return Long.parseLong(stats.getProperty("total_net_input_bytes"))
					+ Long.parseLong(stats.getProperty("total_net_output_bytes"));
		});
	}

	/** The number of JVMs that subscribe to grants. */
	public long inboxes() {
		return ask((connection) -> Long
			.parseLong(connection.serverCommands().info("stats").getProperty("pubsub_channels")));
	}

	/** Remove all scripts. */
	public void flushScripts() {
		ask((connection) -> {
			connection.scriptingCommands().scriptFlush();
			return true;
		});
	}

	/** Break the connections of all other clients of a type, normal or pubsub. */
	public void killClients(String type) {
		KillArgs which = type.equals("pubsub") ? KillArgs.Builder.typePubsub() : KillArgs.Builder.typeNormal();
		RedisClient client = (RedisClient) this.connections.getRequiredNativeClient();
		try (StatefulRedisConnection<String, String> connection = client.connect()) {
			connection.sync().clientKill(which.skipme());
		}
	}

	/** Let the server answer no command for a while. */
	public void pause(Duration duration) {
		RedisClient client = (RedisClient) this.connections.getRequiredNativeClient();
		try (StatefulRedisConnection<String, String> connection = client.connect()) {
			connection.sync().clientPause(duration.toMillis());
		}
	}

	/** Limit the server's memory, 0 for no limit. */
	public void setMaxMemory(String bytes) {
		ask((connection) -> {
			connection.serverCommands().setConfig("maxmemory", bytes);
			return true;
		});
	}

	private <T> T ask(Function<RedisConnection, T> question) {
		try (RedisConnection connection = this.connections.getConnection()) {
			return question.apply(connection);
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	public RedisTestServer server() {
		return this.server;
	}

	@Override
	public void close() {
		stopNodes();
		this.connections.destroy();
		this.server.close();
	}

}
