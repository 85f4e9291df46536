package io.github.distlock.backend;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * An open lock store. Each verb ({@code attempt}, {@code release}, {@code cancel},
 * {@code renew}) sends one command and returns a stage, which completes with the answer.
 * Many threads may call verbs at once.
 * <p>
 * Every stage ends: with the answer, or with a failure, after the store's own short
 * time-out at the latest. The failure is a {@link LockBackendException} when the outcome
 * is not known; the caller then repeats the verb with the same ticket, which is harmless.
 * A verb that throws has failed in the same way. Any thread may complete a stage, also
 * one of the driver: what the caller does then does not block. A later answer has no
 * effect.
 * <p>
 * An interrupt does not end a verb early: the flag is kept and the command is finished.
 * <p>
 * A ticket ends with the first {@code release} or {@code cancel} that is sent for it,
 * whatever the reply.
 * <p>
 * If the store supports {@code READ}, readers hold a lock together. Each has a ticket, a
 * lease and a fencing token of its own. All other modes exclude each other and all
 * readers. Readers and writers wait in one order: a reader that arrives while another
 * ticket waits is queued behind it. When a wait or a hold ends, for whatever reason, the
 * tickets at the head of the queue that may enter are granted the lock: all readers up to
 * the first writer if no writer holds, or one writer if no ticket holds.
 */
public interface LockStore extends AutoCloseable {

	/**
	 * Check whether the store can be reached and used.
	 * @throws LockBackendException if not; the message says why, and what to do
	 */
	void verify();

	/**
	 * Return whether a verb may block the thread that calls it, until the answer or its
	 * own short time-out: then the stage has already ended when it is returned. Verbs are
	 * called only by threads that may wait: those of callers, and those of a pool, which
	 * sends a few commands at a time. A verb of any other store must not wait for
	 * anything, since threads of timers and drivers call it, too.
	 * @return whether verbs may block; by default they do not
	 */
	default boolean blocks() {
		return false;
	}

	/**
	 * Return whether the store keeps the order of its commands for a key, over one
	 * connection for example: an attempt that begins after {@link #release} has returned
	 * is executed after that release, and answered after it, unless the release fails. If
	 * the order is lost, the release must fail, although the store could send it again.
	 * <p>
	 * Then fair callers and readers, too, do not wait for the answer to a release in the
	 * background. Without it, the attempt of a fair caller or a reader may come before
	 * such a release of its own JVM.
	 * @return whether the order is kept; by default it is not
	 */
	default boolean keepsOrder() {
		return false;
	}

	/**
	 * Take the lock if it is free and no ticket waits, or if the ticket is that of a
	 * reader and only readers hold the lock. Otherwise, if it is to be queued, wait in
	 * the order of the store.
	 * @param ticket the ticket that takes the lock or waits
	 * @param lease the requested lease
	 * @param queue whether to queue the ticket if it is not granted the lock
	 * @return completes with granted, busy (only without {@code queue}) or waiting (only
	 * with it)
	 */
	CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue);

	/**
	 * Release the lock and, if more callers wait in this JVM, queue the next ticket
	 * behind those that wait already, in the same command.
	 * @param ticket the holder
	 * @param lastToken the highest fencing token of the grant that was used
	 * @param next the ticket that waits next in this JVM, if there is one. Readers have
	 * no successor and are none
	 * @return completes with whether the lock was held, and what an attempt of the next
	 * ticket would answer
	 */
	CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next);

	/**
	 * Remove a waiting ticket; if it was granted the lock meanwhile, release it.
	 * @param ticket the ticket that no longer waits
	 * @return completes when the ticket is gone, with any value
	 */
	CompletionStage<?> cancel(Ticket ticket);

	/**
	 * Renew leases, in one batch. Called on a thread that may wait, also while other
	 * batches are not answered: up to 64, if verbs do not block.
	 * <p>
	 * A lease is renewed whatever its neighbours in the batch look like. If one of them
	 * makes the batch fail, each lease that is not renewed is
	 * {@link RenewalResult.Unknown refused}, and is sent again alone.
	 * <p>
	 * A caller asks in this way, too, whether it holds a lock whose session
	 * {@link StoreSession#mayEndEarlier() may end earlier}: any answer but
	 * {@link RenewalResult.Extended}, which has to be younger than the call, is a loss.
	 * @param renewals the leases
	 * @return completes with the answers, in the same order
	 */
	CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals);

	/**
	 * Describe where the locks are, without credentials. Sends nothing.
	 * @return such as {@code Redis at db1:6379, prefix 'shop:'}
	 */
	String location();

	/**
	 * Describe the channel on which this JVM receives its grants. Sends nothing.
	 * @return {@code subscribed} or {@code polling}; {@code null} if the store has no
	 * such channel, as by default
	 */
	default @Nullable String channel() {
		return null;
	}

	/**
	 * Send the cheapest command that shows that the store works, and wait for its answer.
	 * By default {@link #verify()}.
	 * @throws LockBackendException if the store does not answer
	 */
	default void ping() {
		verify();
	}

	/**
	 * Return what this store tells operators.
	 * @return the inspection, which works until this store is closed; {@code null} if the
	 * store offers none, as by default
	 */
	default @Nullable StoreInspection inspection() {
		return null;
	}

	/**
	 * Stop signalling and close connections. Verbs fail afterwards, except that a store
	 * may still release and cancel where no lease would end the lock.
	 */
	@Override
	void close();

	/**
	 * A ticket to queue in the command that releases.
	 *
	 * @param ticket a new ticket of the same key, not that of a reader
	 * @param lease the requested lease
	 */
	record Successor(Ticket ticket, Duration lease) {
	}

	/**
	 * One lease to be renewed.
	 *
	 * @param ticket the holder
	 * @param lastToken the last token of its grant: a renewal that arrives late does not
	 * extend a later grant
	 * @param lease the new lease, from now
	 */
	record Renewal(Ticket ticket, long lastToken, Duration lease) {
	}

}
