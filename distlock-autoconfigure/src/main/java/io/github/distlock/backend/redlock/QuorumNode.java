package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * One of several independent servers that hold a lock together. It does not know the
 * others. Each verb sends one command and returns at once. Its stage completes within the
 * time-out of the node, on a thread that must not be blocked: with an answer, with
 * {@link NodeUnreachableException} if nothing was sent, or with
 * {@link io.github.distlock.LockBackendException} if the outcome is not known. Commands
 * are sent once, and those of one connection run in the order of the calls.
 * <p>
 * A claim that was left must not be made again. Each try needs a new claim, so that a
 * command that is still in transit for an old claim cannot affect a newer one.
 */
public interface QuorumNode {

	/**
	 * Return where the node is, for messages.
	 * @return its address
	 */
	String name();

	/**
	 * Start the node for one JVM. It connects in the background.
	 * @param self the instance; its text is the instance part of every ticket that will
	 * be used
	 * @param events receives the messages of the node
	 * @return completes when the node is connected, which may be never
	 */
	CompletionStage<?> start(LockInstance self, NodeEvents events);

	/**
	 * Return what the names of all locks of the application begin with.
	 * @return the prefix, for messages
	 */
	String prefix();

	/**
	 * Close the connections. Verbs fail afterwards.
	 */
	void stop();

	/**
	 * Return whether a ticket that is queued here would be signalled.
	 * @return whether the node is connected and messages arrive
	 */
	boolean isListening();

	/**
	 * Take the lock on this node, if it is free and the node has been up for long enough.
	 * @param claim a claim that was not made before
	 * @param proposal the tokens that its grant would have, if no token is higher
	 * @param lease how long the claim lasts unless it is renewed
	 * @param oldEnough how long the node must have been up, so that no lock that it lost
	 * in a restart can still be held
	 * @param queue whether to queue the ticket if another claim holds the lock
	 * @return the node's vote
	 */
	CompletionStage<Vote> claim(Claim claim, Proposal proposal, Duration lease, Duration oldEnough, boolean queue);

	/**
	 * Remember a token at least until the clock of the node has passed it, if the claim
	 * holds the lock.
	 * @param claim the claim
	 * @param token the token that each later vote must exceed
	 * @return whether the claim holds and the token is remembered
	 */
	CompletionStage<Boolean> raise(Claim claim, long token);

	/**
	 * Give up a claim.
	 * @param claim the claim, which holds or may hold the lock
	 * @param usedToken the last token that was used, to be remembered; 0 if none was used
	 * @param wake whether to signal the next ticket in the queue
	 * @return whether the claim held, and whether a ticket was signalled
	 */
	CompletionStage<Left> leave(Claim claim, long usedToken, boolean wake);

	/**
	 * Remove a ticket from the queue. If it had been signalled that the lock is free, and
	 * the lock is free, the next ticket is signalled.
	 * @param ticket the ticket that no longer waits
	 * @return completes when it is done
	 */
	CompletionStage<Boolean> forget(Ticket ticket);

	/**
	 * Renew claims, in one batch.
	 * @param extensions the claims with their new leases
	 * @return whether each still held, in the same order
	 */
	CompletionStage<List<Boolean>> renew(List<Extension> extensions);

	/**
	 * Find out whether the node can be reached and used.
	 * @return its up-time and its clock
	 */
	CompletionStage<NodeTime> probe();

	/**
	 * Return what this node says about a lock, for operators.
	 * @param key the key of the lock
	 * @return the lock
	 */
	CompletionStage<NodeLock> inspect(String key);

	/**
	 * Remove a claim for an operator, and signal the next ticket in the queue.
	 * @param claim the claim
	 * @param lastToken the last token of its grant, as far as is known: each later vote
	 * exceeds it
	 * @param aheadMicros how far the last token may be ahead of the vote of this node:
	 * each later vote exceeds that as well
	 * @return whether the claim held
	 */
	CompletionStage<Boolean> end(Claim claim, long lastToken, long aheadMicros);

	/**
	 * Receives the messages of a node, on threads that must not be blocked.
	 */
	interface NodeEvents {

		/**
		 * The lock of a queued ticket became free on this node. The ticket is no longer
		 * queued here.
		 * @param ticket the ticket
		 */
		void woken(Ticket ticket);

		/** Messages may have been lost. */
		void doubted();

	}

	/**
	 * One try of a ticket to take the lock on a majority of the nodes. Immutable.
	 */
	final class Claim {

		private final Ticket ticket;

		private final String token;

		/**
		 * Create a claim.
		 * @param ticket the ticket
		 * @param number the number of the try, unique in its JVM
		 */
		public Claim(Ticket ticket, long number) {
			this(ticket, ticket.token() + "#" + Long.toString(number, Character.MAX_RADIX));
		}

		private Claim(Ticket ticket, String token) {
			this.ticket = ticket;
			this.token = token;
		}

		/**
		 * Return the claim with a given name.
		 * @param key the key of the lock
		 * @param token the name, see {@link #token()}
		 * @return the claim
		 * @throws IllegalArgumentException if that is not the name of a claim
		 */
		public static Claim of(String key, String token) {
			int separator = token.lastIndexOf('#');
			if (separator < 0) {
				throw new IllegalArgumentException("Not a claim: " + token);
			}
			Ticket ticket = Ticket.of(key, token.substring(0, separator));
			return new Claim(ticket, Long.parseLong(token.substring(separator + 1), Character.MAX_RADIX));
		}

		/**
		 * Return the ticket.
		 * @return the ticket
		 */
		public Ticket ticket() {
			return this.ticket;
		}

		/**
		 * Return the name of the claim in the store.
		 * @return ticket and number
		 */
		public String token() {
			return this.token;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Claim claim && this.token.equals(claim.token)
					&& this.ticket.key().equals(claim.ticket.key());
		}

		@Override
		public int hashCode() {
			return this.token.hashCode();
		}

		@Override
		public String toString() {
			return this.token + " of lock '" + this.ticket.key() + "'";
		}

	}

	/**
	 * The tokens that the grant of a claim would have.
	 *
	 * @param token the first token, or 0 for the choice of the node
	 * @param count how many tokens the grant has
	 */
	record Proposal(long token, int count) {
	}

	/**
	 * The answer of a node to a probe.
	 *
	 * @param uptime how long it has been up, rounded down
	 * @param nowMicros the node's clock
	 */
	record NodeTime(Duration uptime, long nowMicros) {
	}

	/**
	 * One claim to be renewed.
	 *
	 * @param claim the claim
	 * @param lease the new lease, from now
	 */
	record Extension(Claim claim, Duration lease) {
	}

	/**
	 * The answer of a node to a claim.
	 */
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
		 * @param remaining how long the lock is still held unless it is renewed
		 * @param queued whether the ticket is queued now
		 * @param claim that claim, or {@code null} if the node does not say
		 */
		record Held(Duration remaining, boolean queued, @Nullable NodeClaim claim) implements Vote {
		}

		/**
		 * The node has not been up for long enough.
		 *
		 * @param uptime how long it has been up
		 */
		record Young(Duration uptime) implements Vote {
		}

	}

	/**
	 * The answer of a node when a claim is given up.
	 *
	 * @param released whether the claim held the lock
	 * @param woken whether a ticket in the queue was signalled
	 */
	record Left(boolean released, boolean woken) {
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
	 * @param claim the claim
	 * @param token the token that the node has voted for
	 * @param count how many tokens the grant of the claim has
	 * @param since when the claim was made, by the clock of the node
	 * @param ttl when the claim expires unless it is renewed
	 */
	record NodeClaim(Claim claim, long token, int count, Instant since, Duration ttl) {
	}

}
