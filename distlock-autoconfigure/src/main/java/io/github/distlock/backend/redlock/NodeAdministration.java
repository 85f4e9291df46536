package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redlock.QuorumNode.Claim;
import org.jspecify.annotations.Nullable;

/**
 * What operators need of one {@link QuorumNode}. Verbs behave as those of the node.
 */
public interface NodeAdministration {

	/**
	 * Return what the names of all locks of the application begin with.
	 * @return the prefix, for messages
	 */
	String prefix();

	/**
	 * Write or refresh the entry of an instance.
	 * @param self the instance
	 * @return how many entries the node has
	 */
	CompletionStage<Long> announce(LockInstance self);

	/**
	 * Remove the entry of an instance.
	 * @param self the instance
	 * @return how many entries were removed
	 */
	CompletionStage<Long> withdraw(LockInstance self);

	/**
	 * Return the entries of all instances.
	 * @return the entries that have not expired
	 */
	CompletionStage<List<InstanceEntry>> instances();

	/**
	 * Return what the node says about a lock.
	 * @param key the key of the lock
	 * @return the lock
	 */
	CompletionStage<NodeLock> inspect(String key);

	/**
	 * Remove a claim, tell its JVM, and signal the next ticket in the queue.
	 * @param claim the claim
	 * @param grantToken the first token of its grant, for the message
	 * @param lastToken the last token of its grant, as far as is known: each later vote
	 * exceeds it
	 * @param aheadMicros how far the last token may be ahead of the vote of this node:
	 * each later vote exceeds that as well
	 * @return whether the claim held
	 */
	CompletionStage<Boolean> end(Claim claim, long grantToken, long lastToken, long aheadMicros);

	/**
	 * Find out whether an instance is alive.
	 * @param instance the id of the instance
	 * @return whether it has an entry, or receives messages
	 */
	CompletionStage<Boolean> isAlive(String instance);

	/**
	 * Prepare to search the node for the claims of an instance, on a connection of its
	 * own.
	 * @param instance the id of the instance
	 * @return the search; the caller closes it
	 */
	NodeSearch search(String instance);

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

	/**
	 * The search for the claims of an instance on one node.
	 */
	interface NodeSearch extends AutoCloseable {

		/**
		 * Search in small steps. A search that was not completed is continued by the next
		 * search for the instance.
		 * @param limit after this time no step begins
		 * @return what was found
		 */
		CompletionStage<FoundLocks> run(Duration limit);

		/** Close the connection. Blocks for a short time. */
		@Override
		void close();

	}

	/**
	 * The result of a search.
	 *
	 * @param keys the keys of the locks that the instance holds on the node
	 * @param complete whether the whole node was searched
	 */
	record FoundLocks(Set<String> keys, boolean complete) {
	}

}
