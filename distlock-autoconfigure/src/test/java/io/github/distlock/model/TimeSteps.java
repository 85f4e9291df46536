package io.github.distlock.model;

/** Time passes: leases end, timers fire, commands become late. */
final class TimeSteps {

	/** A command older than this is not distinguished from an even older one. */
	private static final int MAX_AGE = 5;

	private final SearchSettings settings;

	/** The longest time for which a waiter was kept from a lock that no thread held. */
	int longestIdle;

	private final TurnRules turns;

	TimeSteps(SearchSettings settings) {
		this.settings = settings;
		this.turns = new TurnRules(settings);
	}

	/**
	 * Add the step. Time passes only if nothing is due, except for a slow tick: something
	 * is late.
	 */
	void add(World world, boolean due, Successors out) {
		if (due && world.slowTicks == 0) {
			return;
		}
		World next = world.copy();
		if (due) {
			next.slowTicks--;
			next.idleTicks = 0;
		}
		tick(next);
		this.turns.tick(next);
		if (!due) {
			countIdle(next);
		}
		out.add(next, () -> due ? "SLOW TICK, something is late" : "tick");
	}

	private void tick(World world) {
		StoreState store = world.store;
		if (store.ttl > 0 && --store.ttl == 0) {
			store.expire();
		}
		if (store.queueTtl > 0 && --store.queueTtl == 0) {
			store.forgetQueue();
		}
		for (int i = 0; i < world.entries.length; i++) {
			KeyEntry entry = world.entries[i];
			boolean refused = world.isDeaf(i) && entry.ticket != 0 && !entry.holds;
			entry.refused = refused ? Math.min(entry.refused + 1, this.settings.refusedTicks + 1) : 0;
			entry.validity = Math.max(0, entry.validity - 1);
			entry.repeats = 0;
			if (entry.timer > 0 && --entry.timer == 0) {
				entry.timer = KeyEntry.NO_TIMER;
				entry.mustAsk |= entry.ticket != 0 && !entry.holds;
			}
		}
		for (Packet packet : world.packets) {
			if (packet.delay > 0) {
				packet.delay--;
				continue;
			}
			packet.age = Math.min(MAX_AGE, packet.age + 1);
			if (packet.validity > 0 && !this.settings.has(Flaw.VALIDITY_FROM_REPLY)) {
				packet.validity--;
			}
		}
		world.messages.forEach((message) -> message.ttl = Math.max(0, message.ttl - 1));
		world.shiftTokens(this.settings.tokensPerTick, this.settings.tokensPerGrant + 1);
	}

	/** L1: how long the lock is free, or granted to no thread, while a thread waits. */
	private void countIdle(World world) {
		boolean waits = false;
		boolean held = false;
		for (int i = 0; i < world.entries.length; i++) {
			KeyEntry entry = world.entries[i];
			if (world.isAlive(i)) {
				waits |= entry.waiting > 0 && !entry.holds;
				held |= entry.holds && (world.store.owner == entry.ticket || entry.validity > 0);
			}
		}
		StoreState store = world.store;
		boolean deadHolder = store.owner != 0 && !store.grace && !world.alive[world.jvmOfTicket(store.owner)];
		world.idleTicks = (waits && !held && !deadHolder) ? world.idleTicks + 1 : 0;
		this.longestIdle = Math.max(this.longestIdle, world.idleTicks);
		if (world.idleTicks > this.settings.maxIdleTicks) {
			throw new BrokenProperty("L1", "the lock is free, or granted to no live JVM, and a waiter has waited for "
					+ world.idleTicks + " ticks");
		}
	}

}
