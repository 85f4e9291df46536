package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redlock.QuorumNode.NodeVerb;
import org.jspecify.annotations.Nullable;

/**
 * The commands of one node: what the scripts take and answer, and nothing else does.
 *
 * @param node the node
 * @param longestLease how long it must have been up to vote, so that no lock that it lost
 * in a restart can still be held
 */
record NodeCommands(QuorumNode node, Duration longestLease) {

	/**
	 * Take the lock on this node, if it is free.
	 * @param claim a claim that was not made before
	 * @param token the token that its grant would have if no token is higher, or 0
	 * @param count how many tokens the grant has
	 * @param queue whether to queue the ticket if another claim holds the lock
	 */
	CompletableFuture<Vote> claim(Ticket ticket, String claim, Duration lease, long token, int count, boolean queue) {
		return run(NodeVerb.CLAIM, ticket.key(), (answer) -> vote(ticket.key(), answer.split(",", 3)), claim,
				millis(lease), millis(this.longestLease), queue ? ticket.token() : "", Long.toString(token),
				Integer.toString(count));
	}

	private Vote vote(String key, String[] answer) {
		return switch (answer[0]) {
			case "granted" -> new Vote.Locked(Long.parseLong(answer[1]), Long.parseLong(answer[2]));
			case "held" -> new Vote.Held(answer[1].equals("1"), NodeClaim.of(key, answer[2]));
			default -> throw tooYoung(answer[1]);
		};
	}

	private NodeRefusedException tooYoung(String uptime) {
		return new NodeRefusedException(this.node.name() + ": does not vote before it has been up for "
				+ this.longestLease + " (distlock.redlock.longest-lease), up for " + uptime + " s", null);
	}

	/** Let each later vote exceed a token; whether the claim holds the lock. */
	CompletableFuture<Boolean> raise(String key, String claim, long token) {
		return run(NodeVerb.RAISE, key, "1"::equals, claim, Long.toString(token));
	}

	/**
	 * Give up a claim; whether it held the lock.
	 * @param usedToken the last token that was used, to be remembered; 0 if none was used
	 * @param onWoken is called if a ticket in the queue was signalled; {@code null} to
	 * signal none
	 */
	CompletableFuture<Boolean> leave(String key, String claim, long usedToken, @Nullable Runnable onWoken) {
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
	CompletableFuture<Boolean> forget(Ticket ticket) {
		return run(NodeVerb.FORGET, ticket.key(), "1"::equals, ticket.token()).exceptionally((failure) -> false);
	}

	/**
	 * Renew claims; return those that held the lock.
	 * @param args for each key its claim and the new lease
	 */
	CompletableFuture<Set<String>> renew(List<String> keys, List<String> args) {
		return this.node.run(NodeVerb.RENEW, keys, args.toArray(String[]::new)).thenApply((answer) -> {
			String[] held = answer.split(",");
			return IntStream.range(0, held.length)
				.filter((i) -> held[i].equals("1"))
				.mapToObj((i) -> args.get(i * 2))
				.collect(Collectors.toSet());
		}).toCompletableFuture();
	}

	/** Return the clock of the node, in microseconds; fail if it does not vote yet. */
	CompletableFuture<Long> probe() {
		return this.node.run(NodeVerb.PROBE, List.of()).thenApply((answer) -> {
			String[] parts = answer.split(",");
			// The server cuts both the start and the present to seconds.
			if (Long.parseLong(parts[0]) - 1 < this.longestLease.toSeconds()) {
				throw tooYoung(parts[0]);
			}
			return Long.parseLong(parts[1]);
		}).toCompletableFuture();
	}

	/** Return what this node says about a lock. */
	CompletableFuture<NodeLock> inspect(String key) {
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
	CompletableFuture<Boolean> end(String key, String claim, long lastToken, long aheadMicros) {
		return run(NodeVerb.END, key, "1"::equals, claim, Long.toString(lastToken), Long.toString(aheadMicros));
	}

	private <T> CompletableFuture<T> run(NodeVerb verb, String key, Function<String, T> answer, String... args) {
		return this.node.run(verb, List.of(key), args).thenApply(answer).toCompletableFuture();
	}

	static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
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

}
