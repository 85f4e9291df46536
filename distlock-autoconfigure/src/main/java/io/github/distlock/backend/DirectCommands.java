package io.github.distlock.backend;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The commands for a lock that only one ticket needs, of a store in the memory of this
 * JVM: see {@link LockStore#direct()}. They need no I/O, send no signal and call nothing
 * that may, so the caller may hold a lock of its own meanwhile. Each either does what the
 * verb of {@link LockStore} does, or changes nothing and leaves the rest to that verb. So
 * does each of a closed store. One that throws an exception may have been executed or
 * not: the verb follows with the same ticket. Thread-safe.
 */
public interface DirectCommands {

	/**
	 * Take a lock that no ticket holds or waits for.
	 * @param ticket a new ticket
	 * @param lease the requested lease
	 * @return the grant; {@code null} if another ticket may hold the lock or wait for it
	 */
	@Nullable Grant attemptUnused(Ticket ticket, Duration lease);

	/**
	 * Release a lock that no other ticket holds or waits for.
	 * @param ticket the holder
	 * @param lastToken the highest fencing token of the grant that was used
	 * @return whether the lock was released; {@code false} if another ticket may need it,
	 * or if this one does not hold it
	 */
	boolean releaseUnshared(Ticket ticket, long lastToken);

}
