package io.github.distlock.backend;

import java.time.Duration;
import java.util.List;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * A lock store. Each verb sends one command and blocks until its answer or its own short
 * time-out; it may be called by many threads at once. Each verb throws
 * {@link LockBackendException} when the outcome is not known; the caller then repeats it
 * with the same ticket, which is harmless. Verbs are not cut short by an interrupt: the
 * flag is kept and the command is finished.
 * <p>
 * A ticket dies with the first {@code release} or {@code cancel} sent for it, whatever
 * the reply.
 * <p>
 * Where {@code READ} is offered, readers hold a lock together, each by a ticket, a lease
 * and a fencing token of its own; all other modes exclude everybody. Readers and writers
 * wait in one order: a reader that comes while anybody waits is queued behind. Whatever
 * ends a wait or a hold, readers that come to stand at the head of the queue while nobody
 * or only readers hold are granted the lock, all of them up to the first writer, and a
 * writer that comes to stand there is when nobody holds.
 */
public interface LockBackend {

	/**
	 * Say what this store is and can do. Sends nothing; always the same.
	 * @return the description
	 */
	BackendDescription description();

	/**
	 * Check a key before anything is sent for it.
	 * @param key what a user wants to lock
	 * @throws io.github.distlock.LockDefinitionException if this store cannot hold it
	 */
	void validateKey(String key);

	/**
	 * Check a lease before anything is sent for it.
	 * @param key what a user wants to lock
	 * @param lease what the lease would be in the store
	 * @throws io.github.distlock.LockDefinitionException if this store does not grant it
	 */
	default void validateLease(String key, Duration lease) {
	}

	/**
	 * Begin to work for one JVM. Does not fail when the store cannot be reached: it
	 * connects in the background then.
	 * @param instance the instance part of every ticket that will be used
	 * @param signals whom to signal
	 */
	void start(String instance, LockSignals signals);

	/**
	 * Stop signalling and give back connections. Verbs fail afterwards.
	 */
	void stop();

	/**
	 * Find out whether the store can be reached and used.
	 * @throws LockBackendException if not, saying why and what to do
	 */
	void verify();

	/**
	 * Take the lock if it is free, or held by readers only and asked for by one, and
	 * nobody waits; with {@code queue}, wait in the store's order otherwise.
	 * @param ticket who asks
	 * @param lease what the lease shall be
	 * @param queue whether to remember the ticket
	 * @return granted, busy (only without {@code queue}) or waiting (only with it)
	 */
	AttemptResult attempt(Ticket ticket, Duration lease, boolean queue);

	/**
	 * Give the lock back and, if more are waiting in this JVM, queue again behind those
	 * who wait already, in the same trip.
	 * <p>
	 * A successor in mode {@code READ} of a ticket in another mode is a downgrade: it is
	 * granted the lock in the same moment, ahead of all who wait. After {@code gone} it
	 * is not granted anew; it is answered as granted only if it holds already, which says
	 * that an earlier copy of the command was done.
	 * @param ticket who holds
	 * @param lastToken the highest fencing token that was used of the grant
	 * @param next who waits next in this JVM, if anybody
	 * @return whether the lock was held, and what {@code attempt(next)} would answer
	 */
	ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next);

	/**
	 * Forget a waiting ticket; if it was granted meanwhile, release it.
	 * @param ticket who no longer waits
	 */
	void cancel(Ticket ticket);

	/**
	 * Lengthen leases, in one batch.
	 * @param renewals what to renew
	 * @return the answers, in the same order
	 */
	List<RenewalResult> renew(List<Renewal> renewals);

	/**
	 * Whom to queue in the trip that releases.
	 *
	 * @param ticket a new ticket of the same key
	 * @param lease what its lease shall be
	 */
	record Successor(Ticket ticket, Duration lease) {
	}

	/**
	 * One lease to be renewed.
	 *
	 * @param ticket who holds
	 * @param lastToken the last token of its grant: a renewal that arrives late lifts no
	 * later grant
	 * @param lease the new lease, from now
	 */
	record Renewal(Ticket ticket, long lastToken, Duration lease) {
	}

}
