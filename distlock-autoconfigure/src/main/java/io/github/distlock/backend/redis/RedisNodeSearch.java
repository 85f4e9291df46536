package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redlock.NodeAdministration.FoundLocks;
import io.github.distlock.backend.redlock.NodeAdministration.NodeSearch;
import io.github.distlock.thread.LockThreads;
import io.lettuce.core.ScriptOutputType;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Searches one node for the claims of an instance by {@code SCAN}, a few hundred keys per
 * step, on a connection of its own: the commands of locks do not wait behind it.
 */
final class RedisNodeSearch implements NodeSearch {

	private static final String START = "0";

	private final SearchConnection connection;

	private final RedisKeys keys;

	private final String instance;

	private final Map<String, String> cursors;

	RedisNodeSearch(SearchConnection connection, RedisKeys keys, String instance, Map<String, String> cursors) {
		this.connection = connection;
		this.keys = keys;
		this.instance = instance;
		this.cursors = cursors;
	}

	@Override
	public CompletionStage<FoundLocks> run(Duration limit) {
		long begun = TimeSource.SYSTEM.nanoTime();
		Set<String> found = new LinkedHashSet<>();
		String from = this.cursors.getOrDefault(this.instance, START);
		return this.connection.open().thenCompose((opened) -> step(from, found, begun, limit.toNanos()));
	}

	private CompletionStage<FoundLocks> step(String cursor, Set<String> found, long begun, long limitNanos) {
		return this.connection.node()
			.<List<byte[]>>send(Scripts.QUORUM_SEARCH, ScriptOutputType.MULTI, List.of(), cursor,
					this.keys.lockPattern(), this.instance)
			.thenCompose((answer) -> {
				answer.stream().skip(1).forEach((name) -> found.add(this.keys.keyOf(text(name))));
				String next = text(answer.get(0));
				if (next.equals(START)) {
					this.cursors.remove(this.instance);
					return CompletableFuture.completedFuture(new FoundLocks(found, true));
				}
				if (TimeSource.SYSTEM.nanoTime() - begun > limitNanos) {
					this.cursors.put(this.instance, next);
					return CompletableFuture.completedFuture(new FoundLocks(found, false));
				}
				return step(next, found, begun, limitNanos);
			});
	}

	@Override
	public void close() {
		this.connection.close();
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

	/**
	 * The connection of one search.
	 *
	 * @param connections makes the connection, and is closed with it
	 * @param node the connection
	 * @param timeout how long to wait until it is made
	 */
	record SearchConnection(RedisConnectionFactory connections, NodeConnection node, Duration timeout) {

		static SearchConnection of(RedisServer server, RedisConnectionFactory connections, Duration timeout) {
			return new SearchConnection(connections, new NodeConnection(server, connections), timeout);
		}

		CompletionStage<?> open() {
			return this.node.open(LockThreads.named("distlock-search"))
				.thenApply((opened) -> true)
				.toCompletableFuture()
				.orTimeout(this.timeout.toMillis(), TimeUnit.MILLISECONDS);
		}

		void close() {
			this.node.close();
			LettuceConnections.close(this.connections);
		}

	}

}
