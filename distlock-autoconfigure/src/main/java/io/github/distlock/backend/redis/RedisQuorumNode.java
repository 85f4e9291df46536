package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redlock.NodeRefusedException;
import io.github.distlock.backend.redlock.QuorumNode;
import io.github.distlock.thread.LockThreads;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * One Redis master of several that hold a lock together. It has connections of its own,
 * made by Lettuce in the background; while there is none, commands fail at once.
 * Thread-safe.
 */
public final class RedisQuorumNode implements QuorumNode {

	private static final Map<Verb, RedisScript<String>> SCRIPTS = Stream.of(Verb.values())
		.collect(Collectors.toMap((verb) -> verb,
				(verb) -> Scripts.script(String.class, "quorum-" + verb.name().toLowerCase(Locale.ROOT) + ".lua")));

	private static final long RECONNECT_MILLIS = 200;

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
		RedisConnectionFactory connections = LettuceConnections.dedicated(this.standalone, this.client, false,
				this.timeout, self);
		OpenNode starting = new OpenNode(connections, self.text(), events);
		this.open = starting;
		LettuceConnections.listen(connections, (ofInbox) -> {
			if (ofInbox) {
				starting.inbox.interrupted();
			}
		});
		starting.inbox.start(LockThreads.named("distlock-inbox"));
		starting.thread.start();
		return starting.connection;
	}

	@Override
	public void stop() {
		OpenNode current = this.open;
		this.open = null;
		if (current != null) {
			current.close();
		}
	}

	@Override
	public boolean isListening() {
		OpenNode current = this.open;
		return current != null && current.inbox.isConfirmed() && current.connected() != null;
	}

	@Override
	public CompletionStage<String> run(Verb verb, List<String> locks, String... args) {
		OpenNode current = this.open;
		StatefulRedisConnection<byte[], byte[]> connected = (current != null) ? current.connected() : null;
		if (current == null || connected == null) {
			Throwable cause = (current != null) ? current.failure : null;
			return CompletableFuture.failedFuture(new NodeRefusedException(
					(cause != null) ? this.server.explain(cause) : this.server.name() + " is not connected", cause));
		}
		return LettuceScripts
			.<byte[]>send(connected.async(), Objects.requireNonNull(SCRIPTS.get(verb)), ScriptOutputType.VALUE,
					names(verb, locks),
					LettuceScripts.bytes(
							(verb == Verb.PROBE) ? new String[] { current.inbox.channel(), RedisInbox.PROBE } : args))
			.thenApply((answer) -> new String(answer, StandardCharsets.UTF_8))
			.exceptionallyCompose((failure) -> {
				Throwable cause = StoreCalls.unwrap(failure);
				return CompletableFuture.failedFuture(new LockBackendException(this.server.explain(cause), cause));
			});
	}

	private byte[][] names(Verb verb, List<String> locks) {
		return (verb == Verb.RENEW || locks.isEmpty())
				? LettuceScripts.bytes(locks.stream().map(this.keys::lock).toList())
				: this.keys.encodedLockQueueAndFloor(locks.get(0));
	}

	/** The connections of a node that was started, and its inbox. */
	private final class OpenNode implements RedisInbox.Events {

		private final RedisConnectionFactory connections;

		private final String instance;

		private final NodeEvents events;

		private final RedisInbox inbox;

		private final CountDownLatch stopped = new CountDownLatch(1);

		/** Connects until that succeeds once; afterwards the driver reconnects itself. */
		private final Thread thread = LockThreads.named("distlock-node-connect").newThread(this::connect);

		private final CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connection = new CompletableFuture<>();

		/** Why the last attempt to connect failed. */
		private volatile @Nullable Throwable failure;

		OpenNode(RedisConnectionFactory connections, String instance, NodeEvents events) {
			this.connections = connections;
			this.instance = instance;
			this.events = events;
			RedisServerChecks checks = new RedisServerChecks(RedisQuorumNode.this.server, RedisQuorumNode.this.keys,
					connections);
			this.inbox = new RedisInbox(connections, RedisQuorumNode.this.keys.inboxPrefix() + instance, this,
					(reason) -> explain(reason, checks));
		}

		@SuppressWarnings({ "unchecked", "deprecation" })
		private void connect() {
			try {
				do {
					// Closing it does not close the shared connection.
					try (RedisConnection shared = this.connections.getConnection()) {
						this.connection.complete(((RedisAsyncCommands<byte[], byte[]>) shared.getNativeConnection())
							.getStatefulConnection());
						return;
					}
					catch (Throwable ex) {
						// An Error, too: without this thread the node is never connected.
						this.failure = ex;
					}
				}
				while (!this.stopped.await(RECONNECT_MILLIS, TimeUnit.MILLISECONDS));
			}
			catch (InterruptedException ex) {
				// No other code uses this thread.
			}
		}

		private @Nullable StatefulRedisConnection<byte[], byte[]> connected() {
			StatefulRedisConnection<byte[], byte[]> current = this.connection.getNow(null);
			return (current != null && current.isOpen()) ? current : null;
		}

		private void close() {
			this.stopped.countDown();
			this.inbox.stop(true);
			LockClientShutdown.join(this.thread);
			LettuceConnections.close(this.connections);
		}

		/** The cause of a failed subscription, and what does not work meanwhile. */
		private String explain(Throwable failure, RedisServerChecks checks) {
			RedisFailure cause = RedisFailure.of(failure);
			if (cause.isAnswer() && failure instanceof RuntimeException refusal) {
				return checks.explainRefusal(refusal, "SUBSCRIBE").getMessage()
						+ ". The node votes, but tells no waiting caller that a lock is free.";
			}
			return cause.explain(RedisQuorumNode.this.server)
					+ ". Until then this node does not vote: locks need a majority of the others.";
		}

		@Override
		public void subscribed() {
			this.events.doubted();
		}

		@Override
		public void probed(String text) {
			// A deaf inbox costs a node no lock: its waiters come back by themselves.
		}

		/**
		 * A node cannot grant the lock alone: what it says of a grant means that it is
		 * free. A ticket that is not known is removed from the queue of the node.
		 */
		@Override
		public void received(InboxMessage message) {
			String key = RedisQuorumNode.this.keys.keyOf(message.lock());
			if (message instanceof InboxMessage.GrantMessage grant) {
				Ticket ticket = Ticket.of(key, grant.token());
				if (MessageCheck.isAddressed(ticket, this.instance)) {
					this.events.woken(ticket);
				}
			}
		}

	}

}
