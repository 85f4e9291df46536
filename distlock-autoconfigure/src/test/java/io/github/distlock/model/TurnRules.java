package io.github.distlock.model;

/** When a turn ends, and S8: how often a waiting JVM may be overtaken. */
record TurnRules(SearchSettings settings) {

	private static final int MAX_TICKS = 9;

	/** Whether the holder that leaves may hand the lock off to the next waiter. */
	boolean allowsHandOff(KeyEntry client) {
		boolean late = this.settings.turnTicks > 0 && client.turn.ticks >= this.settings.turnTicks;
		boolean valid = client.validity > 0 || this.settings.has(Flaw.HAND_OFF_WITHOUT_VALIDITY);
		return client.handOffs < this.settings.handOffs && client.nextToken <= client.lastToken && valid
				&& (!late || this.settings.has(Flaw.TURN_WITHOUT_END));
	}

	/** A thread enters, under a new grant or by a hand-off. */
	void entered(World world, int entry, boolean newTurn) {
		if (this.settings.turnTicks == 0) {
			return;
		}
		KeyEntry client = world.entries[entry];
		if (newTurn) {
			client.turn.begin();
		}
		for (KeyEntry other : world.entries) {
			if (other != client && world.store.isQueued(other.ticket)) {
				other.turn.overtakenBy(newTurn);
				if (world.faults == this.settings.faults && world.slowTicks == this.settings.slowTicks) {
					check(client, other);
				}
			}
		}
	}

	private void check(KeyEntry client, KeyEntry overtaken) {
		int turns = this.settings.jvms - 1;
		int perTurn = Math.min(this.settings.handOffs, this.settings.tokensPerGrant - 1) + 1;
		if (overtaken.turn.overtakingTurns > turns || overtaken.turn.overtakers > turns * perTurn) {
			throw new BrokenProperty("S8", "a waiting JVM is overtaken by " + overtaken.turn.overtakers + " entries in "
					+ overtaken.turn.overtakingTurns + " turns");
		}
		if (client.turn.ticks >= this.settings.turnTicks) {
			throw new BrokenProperty("S8",
					"a thread enters " + client.turn.ticks + " ticks after the grant, while another JVM waits");
		}
	}

	void tick(World world) {
		if (this.settings.turnTicks > 0) {
			for (KeyEntry entry : world.entries) {
				entry.turn.ticks = entry.holds ? Math.min(MAX_TICKS, entry.turn.ticks + 1) : 0;
			}
		}
	}

}
