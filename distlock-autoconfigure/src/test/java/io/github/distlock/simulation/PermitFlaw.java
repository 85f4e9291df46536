package io.github.distlock.simulation;

import java.util.List;

import io.github.distlock.LockMode;
import io.github.distlock.backend.Ticket;
import io.github.distlock.simulation.StoredKey.Waiter;

/**
 * Slips in the scripts of readers with limits, which the simulation has to find: each
 * creates scripts that have it.
 */
enum PermitFlaw implements ServerScript.Factory {

	/** One ticket more than its permits enters. */
	ONE_TOO_MANY((stored, nowMicros, network) -> new ServerScript(stored, nowMicros, network) {
		@Override
		int holders() {
			return Math.max(0, super.holders() - 1);
		}
	}),

	/** A ticket that holds the lock alone is forgotten when the next one comes. */
	LONE_HOLDER_FORGOTTEN((stored, nowMicros, network) -> new ServerScript(stored, nowMicros, network) {
		@Override
		void share() {
			Ticket alone = this.stored.owner;
			super.share();
			this.stored.readers.remove(alone);
		}
	}),

	/** Leases that have ended count as long as any lease lasts. */
	ENDED_LEASES_COUNT((stored, nowMicros, network) -> new ServerScript(stored, nowMicros, network) {
		@Override
		int holders() {
			return this.stored.readers.size();
		}
	}),

	/** When a lease has ended, no waiting ticket takes its place. */
	PERMIT_OF_A_DEAD_HOLDER_LOST((stored, nowMicros, network) -> new ServerScript(stored, nowMicros, network) {
		@Override
		boolean mayEnter(Ticket ticket) {
			return super.mayEnter(ticket) && (ticket.permits() == 0 || this.stored.readers.size() == holders());
		}
	}),

	/** No ticket is called in place of one whose JVM receives nothing. */
	DEAF_TICKET_SWALLOWS_A_PERMIT((stored, nowMicros, network) -> new ServerScript(stored, nowMicros, network) {
		@Override
		boolean callsTheNext() {
			return false;
		}
	}),

	/** A new ticket enters although others wait. */
	WAITER_OVERTAKEN((stored, nowMicros, network) -> new ServerScript(stored, nowMicros, network) {
		@Override
		boolean isQueueEmpty() {
			return this.stored.queue.stream().noneMatch((waiter) -> waiter.ticket().mode() != LockMode.READ);
		}
	}),

	/** A ticket enters by the permits of the holders, if they have more. */
	SMALLER_LIMIT_ADMITS((stored, nowMicros, network) -> new ServerScript(stored, nowMicros, network) {
		@Override
		boolean mayEnter(Ticket ticket) {
			return super.mayEnter(ticket) || ticket.isReader()
					&& this.stored.readers.keySet().stream().anyMatch((other) -> other.mayJoin(holders()));
		}
	}),

	/** A writer enters when one of several holders leaves. */
	WRITER_BESIDE_A_PERMIT((stored, nowMicros, network) -> new ServerScript(stored, nowMicros, network) {
		@Override
		void join(long last) {
			List<Waiter> waiting = this.stored.queue;
			if (!waiting.isEmpty() && !waiting.get(0).ticket().isReader()) {
				pass(last);
			}
			else {
				super.join(last);
			}
		}
	});

	private final ServerScript.Factory factory;

	PermitFlaw(ServerScript.Factory factory) {
		this.factory = factory;
	}

	@Override
	public ServerScript create(StoredKey stored, long nowMicros, SimulatedNetwork network) {
		return this.factory.create(stored, nowMicros, network);
	}

}
