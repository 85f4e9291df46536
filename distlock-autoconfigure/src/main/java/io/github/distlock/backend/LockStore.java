package io.github.distlock.backend;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * An open lock store. Each verb sends one command and blocks until its answer or its own
 * short time-out; many threads may call verbs at once. Each verb throws
 * {@link LockBackendException} when the outcome is not known; the caller then repeats it
 * with the same ticket, which is harmless. An interrupt does not end a verb early: the
 * flag is kept and the command is finished.
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
	 * Return the description of the backend that opened this store.
	 * @return what the store is and can do
	 */
	BackendDescription description();

	/**
	 * Check whether the store can be reached and used.
	 * @throws LockBackendException if not; the message says why, and what to do
	 */
	void verify();

	/**
	 * Take the lock if it is free and no ticket waits, or if the ticket is that of a
	 * reader and only readers hold the lock. Otherwise, with {@code queue}, wait in the
	 * order of the store.
	 * @param ticket the ticket that takes the lock or waits
	 * @param lease the requested lease
	 * @param queue whether to queue the ticket
	 * @return granted, busy (only without {@code queue}) or waiting (only with it)
	 */
	AttemptResult attempt(Ticket ticket, Duration lease, boolean queue);

	/**
	 * Attempt as {@link #attempt(Ticket, Duration, boolean)} does, with options. A store
	 * that keeps no locks ignores all of them except {@code queue}, as it does by
	 * default.
	 * <p>
	 * A store that keeps locks marks the grant of a {@code keepable} attempt if the lock
	 * is free and no ticket waits, and if requests reach this JVM. When a ticket of
	 * another grant then waits at the head of the queue, each attempt of that ticket
	 * makes the store ask the JVM of the marked grant for the lock, see
	 * {@link LockSignals#asked}. A request may be lost. A JVM gives a kept lock back by
	 * {@link #release}, as if its last caller had left only now.
	 * @param ticket the ticket that takes the lock or waits
	 * @param lease the requested lease
	 * @param options what is asked besides the lock
	 * @return granted, busy (only without {@code queue}) or waiting (only with it)
	 */
	default AttemptResult attempt(Ticket ticket, Duration lease, AttemptOptions options) {
		return attempt(ticket, lease, options.queue());
	}

	/**
	 * Tell the JVM of a ticket that this JVM was asked for a lock because of that ticket,
	 * and does not give it back at once, since a caller is inside or waits. The JVM
	 * learns it by {@link LockSignals#refused}. The message may be lost. Nothing changes
	 * in the store. A store that keeps no locks sends nothing, as by default.
	 * @param asker the ticket that wanted an answer
	 */
	default void refuse(Ticket asker) {
	}

	/**
	 * Release the lock and, if more callers wait in this JVM, queue the next ticket
	 * behind those that wait already, in the same command.
	 * @param ticket the holder
	 * @param lastToken the highest fencing token of the grant that was used
	 * @param next the ticket that waits next in this JVM, if there is one. Readers have
	 * no successor and are none
	 * @return whether the lock was held, and what {@code attempt(next)} would answer
	 */
	ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next);

	/**
	 * Send a release without waiting for its answer, over the one connection that carries
	 * all commands of this store for the key: an attempt that begins after this method
	 * has returned is decided after the release was executed, and answered after it,
	 * unless the release fails. If the order is lost, the release must fail, although the
	 * store could send it again. The thread that completes the stage may be one of the
	 * driver, which must not block.
	 * <p>
	 * A store that cannot do both, send without a waiting thread and keep the order,
	 * sends nothing and returns {@code null}, as it does by default. The caller then uses
	 * {@link #release} on another thread, and sends nothing for the key meanwhile.
	 * @param ticket the holder
	 * @param lastToken the highest fencing token of the grant that was used
	 * @param next the ticket that waits next in this JVM, if there is one
	 * @return completes with the answer of {@link #release}, or fails; {@code null} if
	 * nothing was sent
	 */
	default @Nullable CompletionStage<ReleaseResult> releaseInOrder(Ticket ticket, long lastToken,
			@Nullable Successor next) {
		return null;
	}

	/**
	 * Remove a waiting ticket; if it was granted the lock meanwhile, release it.
	 * @param ticket the ticket that no longer waits
	 */
	void cancel(Ticket ticket);

	/**
	 * Renew leases, in one batch.
	 * @param renewals the leases
	 * @return the answers, in the same order
	 */
	List<RenewalResult> renew(List<Renewal> renewals);

	/**
	 * Return the commands that need no I/O, if this store is in the memory of this JVM.
	 * @return the commands; {@code null} if each command may block, as by default
	 */
	default @Nullable DirectCommands direct() {
		return null;
	}

	/**
	 * Describe where the locks are, without credentials. Sends nothing.
	 * @return such as {@code Redis at db1:6379, prefix 'shop:'}; by default the name of
	 * the store
	 */
	default String location() {
		return description().name();
	}

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
	 * @param keepable whether the store has marked the grant, as
	 * {@link AttemptResult.Granted} said. A renewal that says something else finds the
	 * grant gone
	 */
	record Renewal(Ticket ticket, long lastToken, Duration lease, boolean keepable) {

		/**
		 * The renewal of a grant that is not marked.
		 * @param ticket the holder
		 * @param lastToken the last token of its grant
		 * @param lease the new lease, from now
		 */
		public Renewal(Ticket ticket, long lastToken, Duration lease) {
			this(ticket, lastToken, lease, false);
		}
	}

}
