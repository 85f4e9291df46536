package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisServer.FailureKind;
import io.github.distlock.backend.redlock.QuorumNode;
import io.github.distlock.backend.redlock.QuorumNode.NodeRefusedException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * One Redis master of several that hold a lock together. It has connections of its own,
 * made by Lettuce in the background; while there is none, commands fail at once.
 * Thread-safe.
 */
public final class RedisQuorumNode extends QuorumNode {

	private static final Map<NodeVerb, RedisScript<String>> SCRIPTS = Stream.of(NodeVerb.values())
		.collect(Collectors.toMap((verb) -> verb,
				(verb) -> Scripts.script(String.class, "quorum-" + verb.name().toLowerCase(Locale.ROOT) + ".lua")));

	/** Minimum time between two attempts to connect, of which the first has failed. */
	private static final long RECONNECT_NANOS = Duration.ofMillis(200).toNanos();

	private final String name;

	private final RedisServer server;

	private final RedisStandaloneConfiguration standalone;

	private final LettuceClientConfiguration client;

	private final Duration timeout;

	private final RedisKeys keys;

	private volatile @Nullable OpenNode open;

	/**
	 * Create a node. Sends nothing yet.
	 * @param name where it is, for messages
	 * @param standalone the address and the credentials of the server
	 * @param client how to connect to it
	 * @param keyPrefix what every key and channel begins with; without braces
	 * @param timeout how long one command may take
	 */
	public RedisQuorumNode(String name, RedisStandaloneConfiguration standalone, LettuceClientConfiguration client,
			String keyPrefix, Duration timeout) {
		this.name = name;
		this.server = RedisServer.node(name);
		this.standalone = standalone;
		this.client = client;
		// A server may also be the one of the other store, whose values are different.
		this.keys = new RedisKeys(keyPrefix + "redlock:");
		this.timeout = timeout;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public CompletionStage<?> start(LockInstance self, NodeEvents events) {
		OpenNode starting = new OpenNode(new LettuceConnections(this.standalone, this.client, true, this.timeout, self),
				self.text(), events);
		this.open = starting;
		starting.connected();
		starting.inbox.start();
		return starting.opened;
	}

	@Override
	public void stop() {
		OpenNode current = this.open;
		this.open = null;
		if (current != null) {
			current.connections.end();
			current.inbox.stop(current.connections::close);
		}
	}

	@Override
	public boolean isListening() {
		OpenNode current = this.open;
		return current != null && current.inbox.isSubscribed() && current.connected() != null;
	}

	@Override
	public CompletionStage<String> run(NodeVerb verb, List<String> locks, String... args) {
		OpenNode current = this.open;
		LettuceCommands commands = (current != null) ? current.connected() : null;
		if (current == null || commands == null) {
			Throwable cause = (current != null) ? current.failure : null;
			return CompletableFuture.failedFuture(new NodeRefusedException(
					(cause != null) ? this.server.explain(cause) : this.server.name() + " is not connected", cause));
		}
		String[] values = (verb == NodeVerb.PROBE) ? new String[] { current.inbox.channel(), RedisInbox.PROBE } : args;
		return commands.run(Objects.requireNonNull(SCRIPTS.get(verb)), names(verb, locks), values)
			.exceptionallyCompose((failure) -> {
				Throwable cause = StoreCalls.unwrap(failure);
				return CompletableFuture.failedFuture(new LockBackendException(this.server.explain(cause), cause));
			});
	}

	private List<String> names(NodeVerb verb, List<String> locks) {
		return (verb == NodeVerb.RENEW || locks.isEmpty()) ? locks.stream().map(this.keys::lock).toList()
				: this.keys.nodeLockQueueAndFloor(locks.get(0));
	}

	/** The connections of a node that was started, and its inbox. */
	private final class OpenNode implements RedisInbox.Listener {

		private final LettuceConnections connections;

		private final RedisInbox inbox;

		private final String instance;

		private final NodeEvents events;

		/** Completes when the node is connected for the first time. */
		private final CompletableFuture<Boolean> opened = new CompletableFuture<>();

		/** Why the last attempt to connect failed. */
		private volatile @Nullable Throwable failure;

		private volatile long failedNanos;

		OpenNode(LettuceConnections connections, String instance, NodeEvents events) {
			this.connections = connections;
			this.inbox = new RedisInbox(connections.factory(), RedisQuorumNode.this.keys.inboxPrefix() + instance,
					this);
			this.instance = instance;
			this.events = events;
			connections.onDisconnect((ofInbox) -> {
				if (ofInbox) {
					this.inbox.broken();
				}
			}, events::reconnected);
		}

		/**
		 * The connection; {@code null} if there is none, which is made then, unless that
		 * has just failed.
		 */
		private @Nullable LettuceCommands connected() {
			if (this.failure != null && TimeSource.SYSTEM.nanoTime() - this.failedNanos < RECONNECT_NANOS) {
				return null;
			}
			LettuceCommands commands = this.connections.commands().handle((made, reason) -> {
				this.failedNanos = TimeSource.SYSTEM.nanoTime();
				this.failure = reason;
				if (made != null) {
					this.opened.complete(true);
				}
				return made;
			}).getNow(null);
			return (commands != null && commands.isOpen()) ? commands : null;
		}

		/**
		 * The server can be reached: connect before a command needs it. After each
		 * confirmation the waiting tickets attempt again on this thread, not on one of
		 * the two that read all answers.
		 */
		@Override
		public boolean check() {
			connected();
			RedisInbox.Subscription current = this.inbox.subscription();
			if (current != null && !current.checked) {
				current.checked = true;
				this.events.doubted();
			}
			return true;
		}

		/**
		 * A node cannot grant the lock alone: what it says of a grant means that it is
		 * free. A ticket that is not known is removed from the queue of the node.
		 */
		@Override
		public void received(String text) {
			String[] parts = text.split("\\|", 6);
			if (parts.length == 6) {
				Ticket ticket = Ticket.of(RedisQuorumNode.this.keys.keyOf(parts[5]), parts[0]);
				if (ticket.instance().equals(this.instance)) {
					this.events.woken(RedisQuorumNode.this, ticket);
				}
			}
		}

		@Override
		public String explain(Throwable reason) {
			return RedisQuorumNode.this.server.explain(reason) + (FailureKind.RIGHT.isIn(reason)
					? ". If no other right is missing, the node votes, but tells no waiting caller that a lock is free."
					: ". Until then this node does not vote: locks need a majority of the others.");
		}

	}

}
