package io.github.distlock.waiting;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * Callers of one key that have given up and whose ticket is still in the store. They
 * return when it has left: until then the store may grant the lock to it, so that other
 * applications are refused a lock without a holder. Guarded by the queue's lock.
 */
final class DepartingWaiters {

	/** While there are none, as for most keys, it takes no room. */
	private @Nullable List<Leaver> leavers;

	/** A caller returns when this ticket has left. */
	void add(Waiter waiter, Ticket ticket) {
		if (this.leavers == null) {
			this.leavers = new ArrayList<>(1);
		}
		this.leavers.add(new Leaver(waiter, ticket));
		waiter.leave();
	}

	/** Let all return with the next event. */
	void release() {
		if (this.leavers != null) {
			this.leavers.forEach((leaver) -> leaver.waiter().left());
		}
	}

	/**
	 * Let those return that have nothing to wait for any more.
	 * @param woken those to wake anyway
	 * @param leaving whether a ticket is still on its way out
	 * @return all to wake
	 */
	List<Waiter> addTo(List<Waiter> woken, Predicate<Ticket> leaving) {
		List<Leaver> waiting = this.leavers;
		if (waiting == null) {
			return woken;
		}
		// Room for all before any is removed.
		List<Waiter> all = new ArrayList<>(woken.size() + waiting.size());
		all.addAll(woken);
		waiting.removeIf((leaver) -> {
			boolean stays = leaver.waiter().isLeaving() && leaving.test(leaver.ticket());
			if (!stays) {
				leaver.waiter().left();
				all.add(leaver.waiter());
			}
			return !stays;
		});
		if (waiting.isEmpty()) {
			this.leavers = null;
		}
		return all;
	}

	/**
	 * A caller that gave up.
	 *
	 * @param waiter the caller
	 * @param ticket what has to leave
	 */
	private record Leaver(Waiter waiter, Ticket ticket) {
	}

}
