package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.github.distlock.backend.Ticket;

/**
 * One independent server of several that hold a lock together. It knows nothing of the
 * others. Each verb sends one command and returns at once; its stage completes within the
 * node's time-out, on a thread that must not be blocked: with an answer, with
 * {@link NodeUnreachableException} if nothing was sent, or with
 * {@link io.github.distlock.LockBackendException} if the outcome is not known. Commands
 * are sent once, and those of one connection run in the order of the calls.
 * <p>
 * A claim that is left must not be made again: a new one is needed for each try, so that
 * what still is on its way for an old one can do nothing to a newer one.
 */
public interface QuorumNode {

	/**
	 * Return where the node is, for messages.
	 * @return its address
	 */
	String name();

	/**
	 * Begin to work for one JVM; connects in the background.
	 * @param instance the instance part of every ticket that will be used
	 * @param wake told when the lock of a queued ticket became free on this node; the
	 * ticket is no longer queued then
	 * @param doubt told when such messages may have been lost
	 * @return completes when the node is connected, perhaps never
	 */
	CompletionStage<?> start(String instance, Consumer<Ticket> wake, Runnable doubt);

	/**
	 * Give back connections. Verbs fail afterwards.
	 */
	void stop();

	/**
	 * Return whether a ticket that is queued here would be told.
	 * @return whether the node is connected and messages arrive
	 */
	boolean isListening();

	/**
	 * Take the lock on this node, if it is free and the node has been up for long enough.
	 * @param claim who asks, for the first and only time
	 * @param lease when the claim ends unless it is renewed
	 * @param oldEnough how long the node must have been up, so that no lock that it has
	 * forgotten can still be held
	 * @param queue whether to queue the ticket if another claim holds the lock
	 * @return the node's vote
	 */
	CompletionStage<Vote> claim(Claim claim, Duration lease, Duration oldEnough, boolean queue);

	/**
	 * Remember a token at least until the node's own clock has passed it, if the claim
	 * holds.
	 * @param claim who holds
	 * @param token what each later vote must exceed
	 * @return whether the claim holds and the token is remembered
	 */
	CompletionStage<Boolean> raise(Claim claim, long token);

	/**
	 * Give up the claim.
	 * @param claim who holds, or may hold
	 * @param usedToken the last token that was used, to be remembered; 0 if nobody
	 * entered
	 * @param wake whether to tell the next one in the queue
	 * @return whether the claim held, and whether anybody was told
	 */
	CompletionStage<Left> leave(Claim claim, long usedToken, boolean wake);

	/**
	 * Remove a ticket from the queue. If it had been told that the lock is free, and it
	 * is, the next one is told.
	 * @param ticket who no longer waits
	 * @return completes when it is done
	 */
	CompletionStage<Boolean> forget(Ticket ticket);

	/**
	 * Lengthen claims, in one batch.
	 * @param extensions which, and for how long
	 * @return whether each still held, in the same order
	 */
	CompletionStage<List<Boolean>> renew(List<Extension> extensions);

	/**
	 * Find out whether the node can be reached and used.
	 * @return how long it has been up, rounded down
	 */
	CompletionStage<Duration> probe();

	/**
	 * One try of a ticket to take the lock on a majority of the nodes.
	 *
	 * @param ticket who wants the lock
	 * @param number the number of the try, unique in its JVM
	 */
	record Claim(Ticket ticket, long number) {

		/**
		 * Return the name of the claim in the store.
		 * @return ticket and number
		 */
		public String token() {
			return this.ticket.token() + "#" + Long.toString(this.number, Character.MAX_RADIX);
		}

	}

	/**
	 * One claim to be renewed.
	 *
	 * @param claim who holds
	 * @param lease the new lease, from now
	 */
	record Extension(Claim claim, Duration lease) {
	}

	/**
	 * What a node answers to a claim.
	 */
	sealed interface Vote {

		/**
		 * The claim holds the lock on this node.
		 *
		 * @param token higher than any that is known here, and not behind the clock
		 * @param nowMicros the node's clock
		 */
		record Granted(long token, long nowMicros) implements Vote {
		}

		/**
		 * Another claim holds it.
		 *
		 * @param remaining how long at most, if nobody renews it
		 * @param queued whether the ticket is queued now
		 */
		record Held(Duration remaining, boolean queued) implements Vote {
		}

		/**
		 * The node has not been up for long enough.
		 *
		 * @param uptime how long
		 */
		record Young(Duration uptime) implements Vote {
		}

	}

	/**
	 * What a node answers to somebody who leaves.
	 *
	 * @param released whether the claim held the lock
	 * @param woken whether somebody in the queue was told
	 */
	record Left(boolean released, boolean woken) {
	}

}
