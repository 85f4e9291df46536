package io.github.distlock.model;

/** Steps of kept locks: messages arrive, threads enter, the time of keeping ends. */
final class KeeperSteps {

	private final SearchSettings settings;

	private final ClientRules client;

	private final KeeperRules keeper;

	private final FaultSteps faults;

	KeeperSteps(SearchSettings settings, ClientRules client, FaultSteps faults) {
		this.settings = settings;
		this.client = client;
		this.keeper = client.keeper();
		this.faults = faults;
	}

	/** Add all steps. Answers whether one of them is due. */
	boolean add(World world, Successors out) {
		if (this.settings.keepTicks == 0) {
			return false;
		}
		boolean due = addMessages(world, out);
		for (int i = 0; i < world.entries.length; i++) {
			if (world.isAlive(i)) {
				due |= addEndOfKeeping(world, i, out);
				due |= addEndOfTry(world, i, out);
				addEntry(world, i, out);
				addTry(world, i, out);
				addShutdown(world, i, out);
			}
		}
		return due;
	}

	private boolean addMessages(World world, Successors out) {
		for (int i = 0; i < world.keeperMessages.size(); i++) {
			KeeperMessage message = world.keeperMessages.get(i);
			World next = world.copy();
			next.keeperMessages.remove(i);
			String result = this.keeper.messageArrived(next, message);
			out.add(next, () -> message + ": " + result);
			if (this.faults.canHappen(world, NetworkFault.MESSAGE_LOST)) {
				World lost = world.copy();
				lost.keeperMessages.remove(i);
				lost.countFault();
				out.add(lost, () -> "FAULT message lost: " + message);
			}
		}
		return !world.keeperMessages.isEmpty();
	}

	private boolean addEndOfKeeping(World world, int entry, Successors out) {
		KeptGrant grant = world.entries[entry].grant;
		boolean ends = grant.ticksLeft == 0 && !this.settings.has(Flaw.KEPT_FOR_EVER)
				|| world.isStopped(entry) && !this.settings.has(Flaw.KEPT_AT_SHUTDOWN);
		if (!grant.kept || !ends || !world.entries[entry].isIdle()) {
			return false;
		}
		World next = world.copy();
		this.keeper.giveUp(next, entry);
		out.add(next, () -> ModelTicket.entryName(entry) + " gives the kept lock up");
		return true;
	}

	private boolean addEndOfTry(World world, int entry, Successors out) {
		SingleTry single = world.entries[entry].single;
		if (!single.asks || single.ticksLeft > 0) {
			return false;
		}
		World next = world.copy();
		this.keeper.fail(next, entry);
		this.keeper.leaveQueue(next, entry);
		out.add(next, () -> "the try of " + ModelTicket.entryName(entry) + " gets no answer");
		return true;
	}

	/** A thread wants the lock that its JVM keeps. */
	private void addEntry(World world, int entry, Successors out) {
		KeyEntry from = world.entries[entry];
		if (!from.grant.kept || from.wishes + from.single.left == 0) {
			return;
		}
		World next = world.copy();
		KeyEntry to = next.entries[entry];
		if (to.wishes > 0) {
			to.wishes--;
		}
		else {
			to.single.left--;
		}
		boolean enters = this.keeper.enter(next, entry);
		out.add(next, () -> "a thread of " + ModelTicket.entryName(entry) + " wants the kept lock, "
				+ (enters ? "enters" : "must release it"));
	}

	private void addTry(World world, int entry, Successors out) {
		KeyEntry from = world.entries[entry];
		if (from.single.left == 0 || from.ticket != 0 || !from.isIdle() || from.waiting > 0) {
			return;
		}
		World next = world.copy();
		KeyEntry to = next.entries[entry];
		to.single.left--;
		to.single.tries = true;
		to.single.uncontended = !world.isOld(entry) && world.faults == this.settings.faults
				&& world.slowTicks == this.settings.slowTicks;
		to.waiting++;
		to.wantsCancel = false;
		this.client.attemptIfIdle(next, entry);
		out.add(next, () -> "a thread of " + ModelTicket.entryName(entry) + " tries once");
	}

	private void addShutdown(World world, int entry, Successors out) {
		int jvm = world.jvmOfEntry(entry);
		if (world.shutdowns == 0 || world.stopped[jvm]) {
			return;
		}
		World next = world.copy();
		next.shutdowns--;
		next.stopped[jvm] = true;
		next.entries[entry].wishes = 0;
		next.entries[entry].single.left = 0;
		out.add(next, () -> "JVM " + jvm + " shuts down");
	}

	/** Time has passed. */
	void tick(World world) {
		for (KeyEntry entry : world.entries) {
			entry.grant.ticksLeft = Math.max(0, entry.grant.ticksLeft - 1);
			entry.single.ticksLeft = Math.max(0, entry.single.ticksLeft - 1);
		}
	}

	/** K1: how long a thread of another JVM waits for a lock that is only kept. */
	void countKept(World world) {
		int owner = world.store.owner;
		KeyEntry keeper = (owner != 0) ? world.entries[ModelTicket.entry(owner)] : null;
		boolean waits = false;
		if (keeper != null && keeper.grant.kept && keeper.ticket == owner) {
			for (KeyEntry other : world.entries) {
				waits |= other != keeper && other.waiting > 0 && !other.holds;
			}
		}
		world.keptTicks = waits ? world.keptTicks + 1 : 0;
		if (world.keptTicks > this.settings.maxKeptTicks) {
			throw new BrokenProperty("K1",
					"a thread has waited for " + world.keptTicks + " ticks for a lock that is only kept");
		}
	}

	/** Note for each try whether another thread holds or wants the lock. */
	static void noteContention(World world) {
		for (KeyEntry entry : world.entries) {
			if (entry.single.uncontended) {
				for (KeyEntry other : world.entries) {
					boolean keeps = other.grant.kept || other.ticket == 0 && other.grant.givingUp;
					boolean unused = other.ticket == 0 && other.isIdle();
					entry.single.uncontended &= other == entry
							|| other.waiting == 0 && !other.holds && (keeps || unused);
				}
			}
		}
	}

}
