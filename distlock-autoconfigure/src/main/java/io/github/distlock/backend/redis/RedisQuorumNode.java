package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redlock.NodeUnreachableException;
import io.github.distlock.backend.redlock.QuorumNode;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * One Redis master of several that hold a lock together. It has connections of its own,
 * made by Lettuce. Thread-safe.
 */
public final class RedisQuorumNode implements QuorumNode {

	/** The beginning of an answer to a claim. */
	private static final String GRANTED = "granted,";

	private static final Left GONE = new Left(false, false);

	private static final Left RELEASED = new Left(true, false);

	private static final Left WOKEN = new Left(true, true);

	private final String name;

	private final RedisServer server;

	private final RedisStandaloneConfiguration standalone;

	private final LettuceClientConfiguration client;

	private final Duration timeout;

	private final RedisKeys keys;

	private final String prefix;

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
		this.prefix = keyPrefix;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public String prefix() {
		return this.prefix;
	}

	@Override
	public CompletionStage<?> start(LockInstance self, NodeEvents events) {
		LettuceConnections connections = new LettuceConnections(this.standalone, this.client, false, this.timeout, self,
				this::disconnected);
		CompletableFuture<Boolean> opened = new CompletableFuture<>();
		RedisInbox inbox = new RedisInbox(connections.factory(), this.keys.inboxPrefix() + self.text(),
				new Messages(self.text(), events, () -> connections.connect().thenRun(() -> opened.complete(true))),
				this::explainInbox);
		this.open = new OpenNode(connections, inbox);
		connections.connect().thenRun(() -> opened.complete(true));
		inbox.start();
		return opened;
	}

	private void disconnected(boolean ofInbox) {
		OpenNode current = this.open;
		if (ofInbox && current != null) {
			current.inbox().broken();
		}
	}

	/** The cause of a failed subscription, and what does not work meanwhile. */
	private String explainInbox(Throwable failure) {
		return this.server.explain(failure)
				+ (RedisServer.isRefusal(failure) ? ". The node votes, but tells no waiting caller that a lock is free."
						: ". Until then this node does not vote: locks need a majority of the others.");
	}

	@Override
	public void stop() {
		OpenNode current = this.open;
		this.open = null;
		if (current != null) {
			current.connections().end();
			current.inbox().stop();
			current.connections().close();
		}
	}

	@Override
	public boolean isListening() {
		OpenNode current = this.open;
		return current != null && current.inbox().isConfirmed() && current.connections().connect().isDone();
	}

	@Override
	public CompletionStage<Vote> claim(Claim claim, Proposal proposal, Duration lease, Duration oldEnough,
			boolean queue) {
		return this
			.<byte[]>send(Scripts.QUORUM_CLAIM, claim.ticket(), claim.token(), millis(lease), millis(oldEnough),
					queue ? claim.ticket().token() : "", Long.toString(proposal.token()),
					Integer.toString(proposal.count()))
			.thenApply((answer) -> vote(claim.ticket().key(), new String(answer, StandardCharsets.ISO_8859_1)));
	}

	private static Vote vote(String key, String answer) {
		if (answer.startsWith(GRANTED)) {
			int middle = answer.indexOf(',', GRANTED.length());
			return new Vote.Locked(Long.parseLong(answer, GRANTED.length(), middle, 10),
					Long.parseLong(answer, middle + 1, answer.length(), 10));
		}
		String[] parts = answer.split(",", 3);
		return switch (parts[0]) {
			case "held" -> held(key, parts[1].equals("1"), parts[2]);
			case "young" -> new Vote.Young(Duration.ofSeconds(Long.parseLong(parts[1])));
			default -> throw new IllegalStateException("Not an answer to a claim: " + answer);
		};
	}

	private static Vote held(String key, boolean queued, String claim) {
		long ttl = Long.parseLong(claim.substring(0, claim.indexOf(',')));
		return new Vote.Held(Duration.ofMillis(Math.max(0, ttl)), queued, nodeClaim(key, claim));
	}

	/**
	 * The claim of a text {@code TTL,now,+claim|count|token}; {@code null} of
	 * {@code TTL,now}, or if the value is none of this store.
	 */
	private static @Nullable NodeClaim nodeClaim(String key, String text) {
		String[] parts = text.split(",", 3);
		String[] value = (parts.length < 3) ? parts : parts[2].substring(1).split("\\|");
		if (parts.length < 3 || value.length < 3) {
			return null;
		}
		try {
			long token = Long.parseLong(value[2]);
			Instant since = Instant.EPOCH.plus(Math.min(token, Long.parseLong(parts[1])), ChronoUnit.MICROS);
			return new NodeClaim(Claim.of(key, value[0]), token, Integer.parseInt(value[1]), since,
					Duration.ofMillis(Math.max(0, Long.parseLong(parts[0]))));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	@Override
	public CompletionStage<NodeLock> inspect(String key) {
		return this.<byte[]>send(Scripts.QUORUM_INSPECT, this.keys.encodedLockQueueAndFloor(key), new byte[0][])
			.thenApply((answer) -> {
				List<String> lines = new String(answer, StandardCharsets.UTF_8).lines().toList();
				return new NodeLock(nodeClaim(key, lines.get(0)),
						lines.stream().skip(1).map((token) -> Ticket.of(key, token)).toList());
			});
	}

	@Override
	public CompletionStage<Boolean> end(Claim claim, long lastToken, long aheadMicros) {
		return this
			.<Long>send(Scripts.QUORUM_END, claim.ticket(), claim.token(), Long.toString(lastToken),
					Long.toString(aheadMicros))
			.thenApply((answer) -> answer == 1);
	}

	@Override
	public CompletionStage<Boolean> raise(Claim claim, long token) {
		return this.<Long>send(Scripts.QUORUM_RAISE, claim.ticket(), claim.token(), Long.toString(token))
			.thenApply((answer) -> answer == 1);
	}

	@Override
	public CompletionStage<Left> leave(Claim claim, long usedToken, boolean wake) {
		return this
			.<byte[]>send(Scripts.QUORUM_LEAVE, claim.ticket(), claim.token(), Long.toString(usedToken),
					wake ? "1" : "0")
			.thenApply((answer) -> (answer[0] == 'g') ? GONE : (answer[answer.length - 1] == '1') ? WOKEN : RELEASED);
	}

	@Override
	public CompletionStage<Boolean> forget(Ticket ticket) {
		return this.<Long>send(Scripts.QUORUM_FORGET, ticket, ticket.token()).thenApply((answer) -> answer > 0);
	}

	@Override
	public CompletionStage<List<Boolean>> renew(List<Extension> extensions) {
		List<String> locks = new ArrayList<>(extensions.size());
		String[] args = new String[extensions.size() * 2];
		for (int i = 0; i < extensions.size(); i++) {
			Extension extension = extensions.get(i);
			locks.add(this.keys.lock(extension.claim().ticket().key()));
			args[i * 2] = extension.claim().token();
			args[i * 2 + 1] = millis(extension.lease());
		}
		return this.<List<Long>>send(Scripts.QUORUM_RENEW, locks, args)
			.thenApply((answers) -> answers.stream().map((answer) -> answer == 1).toList());
	}

	@Override
	public CompletionStage<NodeTime> probe() {
		OpenNode current = this.open;
		return this
			.<List<Long>>send(Scripts.QUORUM_PROBE, List.of(), (current != null) ? current.inbox().channel() : "",
					RedisInbox.PROBE)
			// The server cuts both the start and the present to seconds.
			.thenApply((answer) -> new NodeTime(Duration.ofSeconds(Math.max(0, answer.get(1) - 1)), answer.get(2)));
	}

	private <T> CompletionStage<T> send(RedisScript<?> script, Ticket ticket, String... args) {
		return send(script, this.keys.encodedLockQueueAndFloor(ticket.key()), RedisCommands.bytes(args));
	}

	<T> CompletionStage<T> send(RedisScript<?> script, List<String> names, String... args) {
		return send(script, RedisCommands.bytes(names.toArray(String[]::new)), RedisCommands.bytes(args));
	}

	private <T> CompletionStage<T> send(RedisScript<?> script, byte[][] names, byte[][] values) {
		OpenNode current = this.open;
		if (current == null) {
			return CompletableFuture
				.failedFuture(new NodeUnreachableException(this.server.name() + " is not in use", null));
		}
		CompletableFuture<LettuceCommands> connection = current.connections().connect();
		if (!connection.isDone() || !connection.getNow(null).isOpen()) {
			return CompletableFuture
				.failedFuture(new NodeUnreachableException(this.server.name() + " is not connected", null));
		}
		return connection.thenCompose((commands) -> commands.<T>run(script, names, values))
			.exceptionallyCompose((failure) -> {
				Throwable cause = StoreCalls.unwrap(failure);
				return CompletableFuture.failedFuture(new LockBackendException(this.server.explain(cause), cause));
			});
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

	/**
	 * A node cannot grant the lock alone: what it says of a grant means that it is free.
	 */
	private final class Messages implements RedisInbox.Listener {

		private final String instance;

		private final NodeEvents events;

		private final Runnable connecting;

		Messages(String instance, NodeEvents events, Runnable connecting) {
			this.instance = instance;
			this.events = events;
			this.connecting = connecting;
		}

		@Override
		public void subscribed() {
			this.connecting.run();
			this.events.doubted();
		}

		/** The name of the ticket, what is said of its grant, and that of the lock. */
		@Override
		public void received(String text) {
			String[] parts = text.split("\\|", 6);
			if (parts.length == 6) {
				Ticket ticket = Ticket.of(RedisQuorumNode.this.keys.keyOf(parts[5]), parts[0]);
				// A ticket that is not known is removed from the queue of the node.
				if (ticket.instance().equals(this.instance)) {
					this.events.woken(ticket);
				}
			}
		}

	}

	private record OpenNode(LettuceConnections connections, RedisInbox inbox) {
	}

}
