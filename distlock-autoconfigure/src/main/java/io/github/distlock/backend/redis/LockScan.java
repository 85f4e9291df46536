package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.UnsupportedStoreOperationException;
import io.github.distlock.backend.redis.ClusterRenewals.ClusterScripts;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Looks at all locks of a store, a page at a time, on a connection that no lock uses: the
 * commands of locks do not wait behind those of the scan. Limited in time. In a cluster
 * it looks at each master.
 */
final class LockScan implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockScan.class);

	private static final Duration LIMIT = Duration.ofSeconds(10);

	/** The cursor of the first page, and after the last one. */
	private static final String START = "0";

	/** How many keys of the server one command looks at. */
	private static final String PAGE_SIZE = "1000";

	/** How many locks one script looks at. */
	private static final int BATCH_SIZE = 100;

	private final RedisConnectionFactory connections;

	/** Whether the connections were made for this scan. */
	private final boolean own;

	private final RedisServer server;

	private final RedisKeys keys;

	private final Duration commandTimeout;

	private final TimeSource time;

	private final ScriptExecutor scripts;

	private final RedisServerChecks checks;

	/** By master and instance: where a scan that was not completed continues. */
	private final Map<String, String> cursors;

	/**
	 * Open a scan, which has to be closed.
	 * @param application the connection factory of the application
	 * @param settings the settings of the store
	 * @param keys the names of keys
	 * @param time the time
	 * @param self the instance that scans
	 * @param cursors remembers where scans that were not completed continue
	 */
	LockScan(RedisConnectionFactory application, RedisBackendSettings settings, RedisKeys keys, TimeSource time,
			LockInstance self, Map<String, String> cursors) {
		RedisConnectionFactory dedicated = ConnectionUtils.isLettuce(application)
				? LettuceConnections.dedicated(application, settings.commandTimeout(), self) : null;
		this.own = dedicated != null;
		this.connections = (dedicated != null) ? dedicated : application;
		this.server = RedisServer.of(application);
		this.keys = keys;
		this.commandTimeout = settings.commandTimeout();
		this.time = time;
		this.scripts = new ScriptExecutor(this.server, this.connections, time, (failure) -> {
		});
		this.checks = new RedisServerChecks(this.server, keys, this.connections);
		this.cursors = cursors;
	}

	@Override
	public void close() {
		if (this.own) {
			LettuceConnections.close(this.connections);
		}
	}

	/**
	 * Find what an instance holds.
	 * @param instance the id of the instance
	 * @param found is called with the key of a lock and the first token of the grant; it
	 * may be called twice for one grant
	 * @return whether all locks were looked at
	 */
	boolean grantsOf(String instance, ObjLongConsumer<String> found) {
		try (RedisConnection connection = this.connections.getConnection()) {
			if (!(connection instanceof RedisClusterConnection)) {
				return scan((cursor) -> this.scripts.<List<?>>run(Scripts.SCAN, "scan", null, List.of(), page(cursor))
					.value(), (locks) -> batches(locks, instance), found, instance, LIMIT);
			}
			ClusterScripts cluster = ClusterScripts.on(connection);
			if (cluster == null) {
				throw new UnsupportedStoreOperationException("The driver of " + this.server.name()
						+ " cannot look at each master: use Lettuce, or end each grant by its token");
			}
			return scanMasters(cluster, instance, found);
		}
		catch (RuntimeException ex) {
			throw this.checks.explainRefusalInScript(ex, "SCAN");
		}
	}

	/** A master that does not answer does not keep the locks of the others. */
	private boolean scanMasters(ClusterScripts cluster, String instance, ObjLongConsumer<String> found) {
		List<String> masters = cluster.masters();
		boolean complete = !masters.isEmpty();
		RuntimeException failure = null;
		int failures = 0;
		for (String master : masters) {
			try {
				complete &= scan(
						(cursor) -> await(cluster.<List<?>>send(master, Scripts.SCAN, List.of(), page(cursor))),
						(locks) -> together(cluster, locks, instance), found, master + " " + instance,
						LIMIT.dividedBy(masters.size()));
			}
			catch (RuntimeException ex) {
				logger.debug("The locks of a master could not be looked at", ex);
				complete = false;
				failure = ex;
				failures++;
			}
		}
		if (failure != null && failures == masters.size()) {
			throw failure;
		}
		return complete;
	}

	private String[] page(String cursor) {
		return new String[] { cursor, this.keys.lockPattern(), PAGE_SIZE };
	}

	/** Scans one server, from where the last scan of the same name ended. */
	private boolean scan(Function<String, List<?>> pages, Function<List<String>, List<FoundGrant>> heldBy,
			ObjLongConsumer<String> found, String name, Duration limit) {
		long startNanos = this.time.nanoTime();
		String cursor = this.cursors.getOrDefault(name, START);
		do {
			List<?> page = pages.apply(cursor);
			cursor = text(page.get(0));
			List<String> keys = ((List<?>) page.get(1)).stream().map((lock) -> this.keys.keyOf(text(lock))).toList();
			for (FoundGrant grant : heldBy.apply(keys)) {
				found.accept(grant.key(), grant.first());
			}
			if (cursor.equals(START)) {
				this.cursors.remove(name);
				return true;
			}
		}
		while (this.time.nanoTime() - startNanos < limit.toNanos());
		this.cursors.put(name, cursor);
		return false;
	}

	/** What an instance holds of some locks. */
	private List<FoundGrant> batches(List<String> keys, String instance) {
		List<FoundGrant> grants = new ArrayList<>();
		for (int from = 0; from < keys.size(); from += BATCH_SIZE) {
			List<String> batch = keys.subList(from, Math.min(from + BATCH_SIZE, keys.size()));
			add(grants, batch,
					this.scripts.<List<?>>run(Scripts.HELD_BY, "scan", null, names(batch), instance).value());
		}
		return grants;
	}

	/** The same in a cluster, where the locks are in different slots. */
	private List<FoundGrant> together(ClusterScripts cluster, List<String> keys, String instance) {
		List<CompletableFuture<List<?>>> answers = keys.stream()
			.map((key) -> cluster.<List<?>>send(null, Scripts.HELD_BY, names(List.of(key)), instance))
			.toList();
		List<FoundGrant> grants = new ArrayList<>();
		for (int i = 0; i < answers.size(); i++) {
			add(grants, keys.subList(i, i + 1), await(answers.get(i)));
		}
		return grants;
	}

	private List<String> names(List<String> keys) {
		List<String> names = new ArrayList<>(keys.size() * 2);
		for (String key : keys) {
			names.add(this.keys.lock(key));
			names.add(this.keys.readers(key));
		}
		return names;
	}

	private static void add(List<FoundGrant> grants, List<String> keys, List<?> lines) {
		for (Object line : lines) {
			String[] parts = text(line).split(",");
			grants.add(new FoundGrant(keys.get(Integer.parseInt(parts[0])), Long.parseLong(parts[1])));
		}
	}

	private <T> T await(CompletableFuture<T> answer) {
		try {
			return StoreCalls.awaitUninterruptibly(answer, this.commandTimeout, this.time);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw this.server.failed("scan", null, StoreCalls.unwrap(ex));
		}
	}

	private static String text(@Nullable Object value) {
		return (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(value);
	}

	/**
	 * A grant that was found.
	 *
	 * @param key the key of the lock
	 * @param first its first fencing token
	 */
	private record FoundGrant(String key, long first) {
	}

}
