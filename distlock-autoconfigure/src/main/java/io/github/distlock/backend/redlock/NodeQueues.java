package io.github.distlock.backend.redlock;

import io.github.distlock.backend.Ticket;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Removes tickets from the queues of nodes. If that fails, a ticket leaves the queue when
 * the queue expires.
 */
final class NodeQueues {

	private static final Log logger = LogFactory.getLog(NodeQueues.class);

	private final Quorum quorum;

	NodeQueues(Quorum quorum) {
		this.quorum = quorum;
	}

	/** Remove a ticket, without waiting for the answer. */
	static void dequeue(QuorumNode node, Ticket ticket) {
		node.forget(ticket).whenComplete((done, failure) -> ignore(failure));
	}

	/** Remove a ticket, and wait for the answer. */
	void remove(int node, Ticket ticket) {
		this.quorum.await(this.quorum.node(node).forget(ticket).toCompletableFuture().exceptionally((failure) -> {
			ignore(failure);
			return false;
		}));
	}

	private static void ignore(@Nullable Throwable failure) {
		if (failure != null) {
			logger.debug("A ticket was not removed from the queue of a node: it leaves it when the queue expires",
					failure);
		}
	}

}
