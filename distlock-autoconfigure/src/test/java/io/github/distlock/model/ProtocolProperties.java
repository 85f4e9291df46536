package io.github.distlock.model;

import java.util.Arrays;

/** The properties of single states. Those of steps are checked where the step is made. */
final class ProtocolProperties {

	private final boolean checksOwner;

	/** After how many ticks a JVM without messages must have a place. */
	private final int refusedTicks;

	ProtocolProperties(SearchSettings settings) {
		this.refusedTicks = (settings.deafJvms == 1) ? settings.refusedTicks : Integer.MAX_VALUE;
		this.checksOwner = !settings.kinds.contains(NetworkFault.DUPLICATE);
	}

	void check(World world) {
		checkExclusion(world);
		checkMark(world.store);
		if (this.checksOwner) {
			checkOwnerIsKnown(world);
		}
		checkWaitersAreWoken(world);
	}

	/** S1: at most one thread holds the lock under a valid grant. */
	private void checkExclusion(World world) {
		int holders = 0;
		for (int i = 0; i < world.entries.length; i++) {
			if (world.isAlive(i) && world.entries[i].holds && world.entries[i].validity > 0) {
				holders++;
			}
		}
		if (holders > 1 && !world.flushed) {
			throw new BrokenProperty("S1", "two valid holders");
		}
	}

	/** The invariant of base.lua: no ticket is in the queue unless the value says so. */
	private void checkMark(StoreState store) {
		if (!store.isQueueEmpty() && !store.marked && !store.isAbsent()) {
			throw new BrokenProperty("value", "a ticket is queued, but the value says that none is");
		}
	}

	/**
	 * S5: a ticket that its JVM has given up does not hold the lock for a whole lease.
	 */
	private void checkOwnerIsKnown(World world) {
		int owner = world.store.owner;
		if (owner == 0 || world.store.grace) {
			return;
		}
		int entry = ModelTicket.entry(owner);
		KeyEntry client = world.entries[entry];
		if (!world.isAlive(entry) || client.ticket == owner || client.departure(owner) != null) {
			return;
		}
		boolean known = world.packets.stream().anyMatch((packet) -> packet.ticket == owner || packet.next == owner)
				|| world.messages.stream().anyMatch((message) -> message.ticket == owner);
		if (!known) {
			throw new BrokenProperty("S5", "the owner " + ModelTicket.text(owner)
					+ " is a ticket that its live JVM has given up, with a whole lease, and nothing releases it");
		}
	}

	/** L1: a waiter that could have the lock is woken by something. */
	private void checkWaitersAreWoken(World world) {
		for (int i = 0; i < world.entries.length; i++) {
			KeyEntry entry = world.entries[i];
			if (!world.isAlive(i) || !entry.isIdleWaiter() || entry.timer != KeyEntry.NO_TIMER
					|| !world.subscribed[world.jvmOfEntry(i)] && !world.isDeaf(i)) {
				continue;
			}
			int owner = world.store.owner;
			boolean free = owner == 0 || owner == entry.ticket || !world.alive[world.jvmOfTicket(owner)];
			if (free && world.messages.stream().noneMatch((message) -> message.ticket == entry.ticket)) {
				throw new BrokenProperty("L1", ModelTicket.entryName(i)
						+ " waits, the lock is free or its owner is dead, and nothing will wake it");
			}
		}
	}

	/** S7: what is left when nothing is on its way. */
	void checkAtRest(World world) {
		for (int i = 0; i < world.entries.length; i++) {
			KeyEntry entry = world.entries[i];
			int owner = world.store.owner;
			int jvm = world.jvmOfEntry(i);
			boolean hasPlace = owner != 0 && world.jvmOfTicket(owner) == jvm || world.store.endsWithPolled()
					|| Arrays.stream(world.store.queue).anyMatch((ticket) -> world.jvmOfTicket(ticket) == jvm);
			if (world.isAlive(i) && entry.refused > this.refusedTicks && !entry.holds && !hasPlace) {
				throw new BrokenProperty("L3", ModelTicket.entryName(i) + " gets no messages, has waited for "
						+ entry.refused + " ticks and has no place");
			}
			boolean unused = world.isAlive(i) && entry.waiting == 0 && !entry.holds;
			if (unused && (entry.ticket != 0 || !entry.isIdle() || entry.renewing)) {
				throw new BrokenProperty("S7",
						"no thread waits or holds in " + ModelTicket.entryName(i) + ", but its entry is not empty");
			}
		}
		if (world.store.owner != 0 && world.store.ttl <= 0
				|| world.store.queue.length > 0 && world.store.queueTtl <= 0) {
			throw new BrokenProperty("S7", "a key without a TTL");
		}
	}

}
