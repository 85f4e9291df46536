package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * One of several independent servers that hold a lock together. It does not know the
 * others: it connects, sends scripts, and receives messages. What the scripts take and
 * answer is only known here.
 */
public abstract class QuorumNode {

	/**
	 * Return where the node is, for messages.
	 * @return its address
	 */
	public abstract String name();

	/**
	 * Start the node for one JVM. It connects in the background.
	 * @param self the instance; its text is the instance part of every ticket that will
	 * be used
	 * @param events receives the messages of the node
	 * @return completes when the node is connected, which may be never
	 */
	public abstract CompletionStage<?> start(LockInstance self, NodeEvents events);

	/**
	 * Close the connections. Commands fail afterwards.
	 */
	public abstract void stop();

	/**
	 * Return whether a ticket that is queued here would be signalled.
	 * @return whether the node is connected and messages arrive
	 */
	public abstract boolean isListening();

	/**
	 * Send one script, once, and return at once. The scripts of one connection run in the
	 * order of the calls.
	 * @param verb names the script, whose head says what it takes and answers
	 * @param keys the keys of the locks that it concerns
	 * @param args its arguments
	 * @return completes within the time-out of the node, on a thread that must not be
	 * blocked: with the answer, with {@link NodeRefusedException} if nothing was sent, or
	 * with {@link io.github.distlock.LockBackendException} if the outcome is not known
	 */
	public abstract CompletionStage<String> run(NodeVerb verb, List<String> keys, String... args);

	/**
	 * Take the lock on this node, if it is free.
	 * @param claim a claim that was not made before
	 * @param token the token that its grant would have if no token is higher, or 0
	 * @param queue whether to queue the ticket if another claim holds the lock
	 */
	final CompletableFuture<Vote> claim(Ticket ticket, String claim, Duration lease, long token, boolean queue,
			RedlockSettings settings) {
		return run(NodeVerb.CLAIM, ticket.key(), (text) -> {
			String[] answer = text.split(",", 3);
			return switch (answer[0]) {
				case "granted" -> new Vote.Locked(Long.parseLong(answer[1]), Long.parseLong(answer[2]));
				case "held" -> new Vote.Held(answer[1].equals("1"), NodeClaim.of(ticket.key(), answer[2]));
				default -> throw tooYoung(answer[1], settings);
			};
		}, claim, millis(lease), millis(settings.longestLease()), queue ? ticket.token() : "", Long.toString(token),
				Integer.toString(settings.tokensPerGrant()));
	}

	private NodeRefusedException tooYoung(String uptime, RedlockSettings settings) {
		return new NodeRefusedException(name() + ": does not vote before it has been up for " + settings.longestLease()
				+ " (distlock.redlock.longest-lease), up for " + uptime + " s", null);
	}

	/** Let each later vote exceed a token; whether the claim holds the lock. */
	final CompletableFuture<Boolean> raise(String key, String claim, long token) {
		return run(NodeVerb.RAISE, key, "1"::equals, claim, Long.toString(token));
	}

	/**
	 * Give up a claim; whether it held the lock.
	 * @param usedToken the last token that was used, to be remembered; 0 if none was used
	 * @param onWoken is called if a ticket in the queue was signalled; {@code null} to
	 * signal none
	 */
	final CompletableFuture<Boolean> leave(String key, String claim, long usedToken, @Nullable Runnable onWoken) {
		return run(NodeVerb.LEAVE, key, (answer) -> {
			if (onWoken != null && answer.endsWith(",1")) {
				// First: the releasing caller must not request the lock again before.
				onWoken.run();
			}
			return !answer.equals("gone");
		}, claim, Long.toString(usedToken), (onWoken != null) ? "1" : "0");
	}

	/**
	 * Remove a ticket from the queue. If it had been signalled, the next one is. If the
	 * command fails, the ticket leaves the queue when the queue expires.
	 */
	final CompletableFuture<Boolean> forget(Ticket ticket) {
		return run(NodeVerb.FORGET, ticket.key(), "1"::equals, ticket.token()).exceptionally((failure) -> false);
	}

	/**
	 * Renew claims; return those that held the lock.
	 * @param args for each key its claim and the new lease
	 */
	final CompletableFuture<Set<String>> renew(List<String> keys, List<String> args) {
		return run(NodeVerb.RENEW, keys, args.toArray(String[]::new)).thenApply((answer) -> {
			String[] held = answer.split(",");
			return IntStream.range(0, held.length)
				.filter((i) -> held[i].equals("1"))
				.mapToObj((i) -> args.get(i * 2))
				.collect(Collectors.toSet());
		}).toCompletableFuture();
	}

	/** Return the clock of the node, in microseconds; fail if it does not vote yet. */
	final CompletableFuture<Long> probe(RedlockSettings settings) {
		return run(NodeVerb.PROBE, List.of()).thenApply((answer) -> {
			String[] parts = answer.split(",");
			// The server cuts both the start and the present to seconds.
			if (Long.parseLong(parts[0]) - 1 < settings.longestLease().toSeconds()) {
				throw tooYoung(parts[0], settings);
			}
			return Long.parseLong(parts[1]);
		}).toCompletableFuture();
	}

	/** Return what this node says about a lock. */
	final CompletableFuture<NodeLock> inspect(String key) {
		return run(NodeVerb.INSPECT, key, (answer) -> {
			List<String> lines = answer.lines().toList();
			return new NodeLock(NodeClaim.of(key, lines.get(0)),
					lines.stream().skip(1).map((token) -> Ticket.of(key, token)).toList());
		});
	}

	/**
	 * Remove a claim for an operator, and signal the next ticket in the queue.
	 * @param lastToken the last token of its grant, as far as is known: each later vote
	 * exceeds it
	 * @param aheadMicros how far the last token may be ahead of the vote of this node:
	 * each later vote exceeds that as well
	 */
	final CompletableFuture<Boolean> end(String key, String claim, long lastToken, long aheadMicros) {
		return run(NodeVerb.END, key, "1"::equals, claim, Long.toString(lastToken), Long.toString(aheadMicros));
	}

	private <T> CompletableFuture<T> run(NodeVerb verb, String key, Function<String, T> answer, String... args) {
		return run(verb, List.of(key), args).thenApply(answer).toCompletableFuture();
	}

	static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

	/** The scripts of a node. {@code quorum.lua} describes their data. */
	public enum NodeVerb {

		/** Take the lock on this node, if it is free and the node is old enough. */
		CLAIM,

		/** Raise the floor of the tokens, if a claim holds the lock. */
		RAISE,

		/** Give up a claim. */
		LEAVE,

		/** Remove a ticket from the queue. */
		FORGET,

		/** Renew claims. */
		RENEW,

		/** Return the up-time and the clock. */
		PROBE,

		/** Return the claim and the queue of a lock. */
		INSPECT,

		/** Remove a claim for an operator. */
		END

	}

	/**
	 * Receives the messages of nodes, on threads that must not be blocked.
	 */
	public interface NodeEvents {

		/**
		 * The lock of a queued ticket became free on a node. The ticket is no longer
		 * queued there.
		 * @param node the node
		 * @param ticket the ticket
		 */
		void woken(QuorumNode node, Ticket ticket);

		/** Messages may have been lost. */
		void doubted();

		/** The node is connected again, and may have lost claims. */
		void reconnected();

	}

	/** The answer of a node to a claim. */
	sealed interface Vote {

		/**
		 * The claim holds the lock on this node.
		 *
		 * @param token higher than any that is known here, not behind the clock, and not
		 * lower than proposed
		 * @param nowMicros the node's clock
		 */
		record Locked(long token, long nowMicros) implements Vote {
		}

		/**
		 * Another claim holds the lock.
		 *
		 * @param queued whether the ticket is queued now
		 * @param claim that claim, or {@code null} if the value is none of this store
		 */
		record Held(boolean queued, @Nullable NodeClaim claim) implements Vote {

			Duration ttl() {
				return (this.claim != null) ? this.claim.ttl() : Duration.ZERO;
			}

		}

	}

	/**
	 * What a node says about a lock.
	 *
	 * @param claim the claim that holds the lock on this node, or {@code null}
	 * @param queue the tickets in its queue, the oldest first
	 */
	record NodeLock(@Nullable NodeClaim claim, List<Ticket> queue) {
	}

	/**
	 * A claim that holds a lock on a node.
	 *
	 * @param name the claim
	 * @param ticket its ticket
	 * @param token the token that the node has voted for
	 * @param count how many tokens the grant of the claim has
	 * @param since when the claim was made, by the clock of the node
	 * @param ttl when the claim expires unless it is renewed
	 */
	record NodeClaim(String name, Ticket ticket, long token, int count, Instant since, Duration ttl) {

		/**
		 * The claim of a text {@code TTL,now,+claim|count|token}; {@code null} of
		 * {@code TTL,now}, or if the value is none of this store.
		 */
		static @Nullable NodeClaim of(String key, String text) {
			String[] parts = text.split(",", 3);
			String[] value = (parts.length < 3) ? parts : parts[2].substring(1).split("\\|");
			int number = value[0].lastIndexOf('#');
			if (value.length < 3 || number < 0) {
				return null;
			}
			long token = Long.parseLong(value[2]);
			Instant since = Instant.EPOCH.plus(Math.min(token, Long.parseLong(parts[1])), ChronoUnit.MICROS);
			return new NodeClaim(value[0], Ticket.of(key, value[0].substring(0, number)), token,
					Integer.parseInt(value[1]), since, Duration.ofMillis(Math.max(0, Long.parseLong(parts[0]))));
		}

	}

	/**
	 * A {@link QuorumNode} has done nothing, and will do nothing later: the command was
	 * not sent, or the node does not vote yet.
	 */
	public static class NodeRefusedException extends LockBackendException {

		/**
		 * Create an exception.
		 * @param message names the node
		 * @param cause the cause
		 */
		public NodeRefusedException(String message, @Nullable Throwable cause) {
			super(message, cause);
		}

	}

}
