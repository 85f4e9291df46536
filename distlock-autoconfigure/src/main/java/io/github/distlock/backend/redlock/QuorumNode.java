package io.github.distlock.backend.redlock;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.Ticket;

/**
 * One of several independent servers that hold a lock together. It does not know the
 * others: it connects, sends scripts, and receives messages.
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
	 * Close the connections. Commands fail afterwards.
	 */
	void stop();

	/**
	 * Return whether a ticket that is queued here would be signalled.
	 * @return whether the node is connected and messages arrive
	 */
	boolean isListening();

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
	CompletionStage<String> run(NodeVerb verb, List<String> keys, String... args);

	/** The scripts of a node. {@code quorum.lua} describes their data. */
	enum NodeVerb {

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

}
