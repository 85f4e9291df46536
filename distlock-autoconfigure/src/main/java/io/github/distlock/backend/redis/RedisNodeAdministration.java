package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redlock.NodeAdministration;
import io.github.distlock.backend.redlock.QuorumNode.Claim;
import io.lettuce.core.ScriptOutputType;
import org.jspecify.annotations.Nullable;

/**
 * What operators need of a {@link RedisQuorumNode}. Thread-safe.
 */
final class RedisNodeAdministration implements NodeAdministration {

	private final RedisQuorumNode node;

	private final String prefix;

	private final RedisKeys keys;

	private final Supplier<RedisNodeSearch.SearchConnection> connections;

	/** By instance: where a search that was not completed continues. */
	private final Map<String, String> cursors = new ConcurrentHashMap<>();

	/**
	 * Create the administration.
	 * @param prefix what the application's keys begin with, for messages
	 * @param connections makes the connection of a search
	 */
	RedisNodeAdministration(RedisQuorumNode node, String prefix, RedisKeys keys,
			Supplier<RedisNodeSearch.SearchConnection> connections) {
		this.node = node;
		this.prefix = prefix;
		this.keys = keys;
		this.connections = connections;
	}

	@Override
	public String prefix() {
		return this.prefix;
	}

	@Override
	public CompletionStage<Long> announce(LockInstance self) {
		return this.node.send(Scripts.ANNOUNCE, ScriptOutputType.INTEGER, List.of(this.keys.instances()),
				InstanceEntry.encode(self), Long.toString(StoreAdministration.ENTRY_TTL.toMillis()));
	}

	@Override
	public CompletionStage<Long> withdraw(LockInstance self) {
		return this.node.send(Scripts.WITHDRAW, ScriptOutputType.INTEGER, List.of(this.keys.instances()),
				InstanceEntry.encode(self));
	}

	@Override
	public CompletionStage<List<InstanceEntry>> instances() {
		return this.node.<byte[]>send(Scripts.INSTANCES, ScriptOutputType.VALUE, List.of(this.keys.instances()))
			.thenApply(RedisNodeAdministration::entries);
	}

	/** The entries of an answer of instances.lua. */
	static List<InstanceEntry> entries(byte[] answer) {
		return text(answer).lines().map(RedisNodeAdministration::entry).flatMap(Stream::ofNullable).toList();
	}

	/** An entry of a line {@code expiry in ms, entry}. */
	private static @Nullable InstanceEntry entry(String line) {
		int separator = line.indexOf(',');
		LockInstance instance = InstanceEntry.decode(line.substring(separator + 1));
		return (instance != null) ? new InstanceEntry(instance,
				Instant.ofEpochMilli(Long.parseLong(line.substring(0, separator))).minus(StoreAdministration.ENTRY_TTL))
				: null;
	}

	@Override
	public CompletionStage<NodeLock> inspect(String key) {
		return this.node.<byte[]>send(Scripts.QUORUM_INSPECT, ScriptOutputType.VALUE, this.keys.lockQueueAndFloor(key))
			.thenApply((answer) -> {
				List<String> lines = text(answer).lines().toList();
				return new NodeLock(claim(key, lines.get(0)),
						lines.stream().skip(1).map((token) -> Ticket.of(key, token)).toList());
			});
	}

	/**
	 * The claim of a text {@code TTL,now,+claim|count|token}; {@code null} of
	 * {@code TTL,now}, or if the word is none of this store.
	 */
	static @Nullable NodeClaim claim(String key, String text) {
		String[] parts = text.split(",", 3);
		String[] word = (parts.length < 3) ? parts : parts[2].substring(1).split("\\|");
		if (parts.length < 3 || word.length < 3) {
			return null;
		}
		try {
			long token = Long.parseLong(word[2]);
			Instant since = Instant.EPOCH.plus(Math.min(token, Long.parseLong(parts[1])), ChronoUnit.MICROS);
			return new NodeClaim(Claim.of(key, word[0]), token, Integer.parseInt(word[1]), since,
					Duration.ofMillis(Math.max(0, Long.parseLong(parts[0]))));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	@Override
	public CompletionStage<Boolean> end(Claim claim, long grantToken, long lastToken, long aheadMicros) {
		return this.node
			.<Long>send(Scripts.QUORUM_END, ScriptOutputType.INTEGER, this.keys.lockQueueAndFloor(claim.ticket().key()),
					claim.token(), Long.toString(grantToken), Long.toString(lastToken), Long.toString(aheadMicros))
			.thenApply((answer) -> answer == 1);
	}

	@Override
	public CompletionStage<Boolean> isAlive(String instance) {
		return this.node
			.<Long>send(Scripts.ALIVE, ScriptOutputType.INTEGER, List.of(this.keys.instances()), instance,
					this.keys.inboxPrefix() + instance, RedisInbox.PROBE)
			.thenApply((answer) -> answer == 1);
	}

	@Override
	public NodeSearch search(String instance) {
		return new RedisNodeSearch(this.connections.get(), this.keys, instance, this.cursors);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
