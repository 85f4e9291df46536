package io.github.distlock.model;

/** Faults of JVMs and of the server, and the return of an inbox. */
record FaultSteps(SearchSettings settings) {

	boolean canHappen(World world, NetworkFault fault) {
		return world.faults > 0 && this.settings.kinds.contains(fault);
	}

	/** Add all steps. Answers whether one of them is due. */
	boolean add(World world, Successors out) {
		boolean due = false;
		for (int jvm = 0; jvm < world.alive.length; jvm++) {
			int number = jvm;
			if (world.halfOpen[jvm]) {
				World next = world.copy();
				next.halfOpen[jvm] = false;
				out.add(next, () -> "the server notices that JVM " + number + " is dead");
			}
			if (!world.alive[jvm]) {
				continue;
			}
			if (world.deaf[jvm]) {
				if (world.inboxesBack > 0) {
					World next = resubscribed(world, jvm);
					next.deaf[jvm] = false;
					next.inboxesBack--;
					out.add(next, () -> "JVM " + number + " gets messages again");
				}
			}
			else if (!world.subscribed[jvm]) {
				due = true;
				out.add(resubscribed(world, jvm), () -> "the inbox of JVM " + number + " is back");
			}
			else if (canHappen(world, NetworkFault.INBOX_LOST)) {
				World next = world.copy();
				next.subscribed[jvm] = false;
				next.dropMessages(jvm);
				next.countFault();
				out.add(next, () -> "FAULT the inbox of JVM " + number + " loses its connection");
			}
			if (canHappen(world, NetworkFault.CRASH)) {
				out.add(crashed(world, jvm), () -> "FAULT JVM " + number + " dies");
			}
			if (canHappen(world, NetworkFault.HALF_OPEN_CRASH)) {
				World next = crashed(world, jvm);
				next.halfOpen[jvm] = true;
				out.add(next, () -> "FAULT JVM " + number + " dies, its connection stays half open");
			}
		}
		if (canHappen(world, NetworkFault.FLUSH)) {
			World next = world.copy();
			next.store.clear();
			next.flushed = true;
			next.countFault();
			next.shiftTokens(this.settings.tokensPerTick, this.settings.tokensPerGrant + 1);
			out.add(next, () -> "FAULT the server loses all data");
		}
		return due;
	}

	/** All waiting tickets ask, since messages may have been lost. */
	private static World resubscribed(World world, int jvm) {
		World next = world.copy();
		next.subscribed[jvm] = true;
		for (int i = 0; i < next.entries.length; i++) {
			KeyEntry entry = next.entries[i];
			if (next.jvmOfEntry(i) == jvm && entry.waiting > 0 && entry.ticket != 0 && !entry.holds) {
				entry.mustAsk = true;
			}
		}
		return next;
	}

	/** A JVM dies. Its commands on the wire may still be executed. */
	private static World crashed(World world, int jvm) {
		World next = world.copy();
		next.alive[jvm] = false;
		next.subscribed[jvm] = false;
		next.deaf[jvm] = false;
		next.dropMessages(jvm);
		next.countFault();
		for (int i = 0; i < next.entries.length; i++) {
			if (next.jvmOfEntry(i) == jvm) {
				int entry = i;
				next.entries[i] = new KeyEntry();
				next.packets.removeIf((packet) -> packet.entry == entry && (packet.isExecuted() || !packet.isSent()));
				next.packets.stream()
					.filter((packet) -> packet.entry == entry)
					.forEach((packet) -> packet.audience = Audience.GIVEN_UP);
			}
		}
		return next;
	}

}
