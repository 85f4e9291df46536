package io.github.distlock.waiting;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.Ticket;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Waiters of one key that have given up and whose ticket is still in the store. They
 * return when the ticket has left: until then the store may grant the lock to it, so that
 * other applications would be refused a lock that has no holder. Guarded by the lock of
 * the {@link KeyQueue}.
 */
final class DepartingWaiters {

	/** {@code null} while there are none, as for most keys, to save memory. */
	private @Nullable List<DepartingWaiter> departing;

	/** Add a waiter, which returns when this ticket has left the store. */
	void add(Waiter waiter, Ticket ticket) {
		if (this.departing == null) {
			this.departing = new ArrayList<>(1);
		}
		this.departing.add(new DepartingWaiter(waiter, ticket));
		waiter.startDeparting();
	}

	/**
	 * The only attempt of a ticket has failed after the wait time had passed. It is
	 * unknown whether the lock was free: the callers get the failure, and no time-out.
	 */
	void fail(Ticket ticket, LockBackendException cause) {
		if (this.departing != null) {
			this.departing.stream()
				.filter((each) -> each.ticket().equals(ticket) && each.waiter().outcome() instanceof Outcome.Refused)
				.forEach((each) -> each.waiter().decide(new Outcome.Failure(cause)));
		}
	}

	/** Let all of them return with the next event. */
	void release() {
		if (this.departing != null) {
			this.departing.forEach((each) -> each.waiter().departed());
		}
	}

	/**
	 * Remove the waiters that may return.
	 * @param woken the waiters to wake in any case
	 * @param leavesStore whether a ticket is still in the store and about to leave it
	 * @return all waiters to wake
	 */
	List<Waiter> addReturning(List<Waiter> woken, Predicate<Ticket> leavesStore) {
		List<DepartingWaiter> waiting = this.departing;
		if (waiting == null) {
			return woken;
		}
		// Allocate for all of them before any is removed.
		List<Waiter> all = new ArrayList<>(woken.size() + waiting.size());
		all.addAll(woken);
		waiting.removeIf((each) -> {
			boolean stays = each.waiter().isDeparting() && leavesStore.test(each.ticket());
			if (!stays) {
				each.waiter().departed();
				all.add(each.waiter());
			}
			return !stays;
		});
		if (waiting.isEmpty()) {
			this.departing = null;
		}
		return all;
	}

	/**
	 * A waiter that has given up.
	 *
	 * @param waiter the waiter
	 * @param ticket the ticket that has to leave the store
	 */
	private record DepartingWaiter(Waiter waiter, Ticket ticket) {
	}

}
