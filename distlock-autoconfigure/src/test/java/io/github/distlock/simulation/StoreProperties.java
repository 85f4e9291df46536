package io.github.distlock.simulation;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.backend.Ticket;

/**
 * What a call that has returned promises about the store: a lock that was closed is free
 * there, a lock that was not there is not closed as if it had been, and a caller that has
 * given up does not keep others out. Each holds unless a fault has kept a command of the
 * JVM from being answered meanwhile.
 */
record StoreProperties(World world, History history) {

	void leaving(Call call) {
		// After lost writes its ticket may have been granted the lock again.
		call.storedBefore = isStored(call) || isGrantedAgain(call);
	}

	/**
	 * After a close without an exception: the store had the grant, and has it no longer.
	 * @param grantsLost whether a fault may have changed the grant meanwhile
	 */
	void left(Call call, boolean grantsLost) {
		Duration minHold = call.request.minHold();
		boolean retained = minHold != null && !call.abandoned;
		boolean confirmed = !retained && (!this.world.plan.background() || minHold != null);
		if (!confirmed || isTroubled(call, call.leavingSince) || mayBeHandedOff(call) || grantsLost) {
			return;
		}
		this.history.count("checked closes");
		if (isStored(call)) {
			this.world.violation("release", call + " has closed " + call.key() + ", which the store still gives to it: "
					+ this.world.network.server.stored(call.key()));
		}
		if (!call.storedBefore) {
			this.world.violation("release", call + " has closed " + call.key()
					+ " without an exception, and the store had not known that it holds it");
		}
	}

	/**
	 * After a call has ended without its lock: the store keeps no ticket of it.
	 * @param grantsLost whether a fault may have brought an earlier grant back
	 */
	void gaveUp(Call call, boolean grantsLost) {
		long timeout = this.world.plan.commandTimeout().toNanos();
		long since = call.answered - 2 * (timeout + Rules.STALLS);
		// A second copy of an attempt, or a late one, may queue a ticket that has left.
		if (isTroubled(call, since) || grantsLost || this.world.plan.has(Fault.Kind.REPEAT_REQUESTS)
				|| this.world.plan.has(Fault.Kind.LATE_REQUESTS)
				|| this.history.calls.stream().anyMatch((other) -> needsATicket(other, call))) {
			return;
		}
		this.history.count("checked time-outs");
		StoredKey stored = this.world.network.server.stored(call.key());
		List<String> left = Stream
			.of(Stream.ofNullable(stored.owner), stored.readers.keySet().stream(),
					stored.queue.stream().map(StoredKey.Waiter::ticket))
			.flatMap((tickets) -> tickets)
			.filter((ticket) -> ticket.instance().equals(call.jvm.instanceId()))
			.map(Ticket::token)
			.toList();
		if (!left.isEmpty()) {
			this.world.violation("leave",
					call + " has given up " + call.key() + ", and the store still keeps " + left + ": " + stored);
		}
	}

	/** Whether another call of its JVM has a ticket, or had one until lately. */
	private boolean needsATicket(Call other, Call call) {
		if (other == call || other.jvm != call.jvm || !other.key().equals(call.key())) {
			return false;
		}
		Duration minHold = other.request.minHold();
		long retained = (minHold != null && other.granted != Call.NEVER) ? minHold.toNanos() : 0;
		return other
			.overlaps(call.answered - retained - 2 * (this.world.plan.commandTimeout().toNanos() + Rules.STALLS));
	}

	private boolean isTroubled(Call call, long since) {
		return call.jvm.troubledNanos >= since || this.world.network.server.poisonedUntil(call.key()) >= since
				|| this.history.hasRestarted(call);
	}

	private boolean isStored(Call call) {
		StoredKey stored = this.world.network.server.stored(call.key());
		long now = this.world.network.server.micros() / 1000;
		return switch (stored.word) {
			case OWNED -> stored.owner != null && stored.owner.instance().equals(call.jvm.instanceId())
					&& stored.first <= call.token && call.token <= stored.last;
			case READERS ->
				stored.readers.values().stream().anyMatch((each) -> each.first() == call.token && each.ends() > now);
			default -> false;
		};
	}

	private boolean isGrantedAgain(Call call) {
		StoredKey stored = this.world.network.server.stored(call.key());
		boolean owned = stored.owner != null && stored.first > call.token
				&& stored.owner.instance().equals(call.jvm.instanceId());
		return owned || stored.readers.entrySet()
			.stream()
			.anyMatch((each) -> each.getValue().first() > call.token
					&& each.getKey().instance().equals(call.jvm.instanceId()));
	}

	/**
	 * Whether another call of its JVM may have got its grant, and if it is cancelled just
	 * then, releases it.
	 */
	private boolean mayBeHandedOff(Call call) {
		return !call.hasOwnPlace() && this.history.calls.stream()
			.anyMatch((other) -> other != call && other.jvm == call.jvm && other.key().equals(call.key())
					&& !other.hasOwnPlace() && other.started <= call.left
					&& other.overlaps(call.leavingSince - ((other.end == Call.End.CANCELLED) ? Rules.STALLS : 0)));
	}

}
