package io.github.distlock.model;

import org.jspecify.annotations.Nullable;

/** Steps that a JVM takes by itself: threads come and go, time-outs, renewals. */
final class ClientSteps {

	private final SearchSettings settings;

	private final ClientRules client;

	ClientSteps(SearchSettings settings, ClientRules client) {
		this.settings = settings;
		this.client = client;
	}

	/** Add all steps. Answers whether one of them is due. */
	boolean add(World world, Successors out) {
		boolean due = false;
		for (int i = 0; i < world.entries.length; i++) {
			if (world.isAlive(i)) {
				due |= addRepeatedAttempt(world, i, out);
				due |= addTimeOut(world, i, out);
				due |= addRenewalTimeOut(world, i, out);
				addThreads(world, i, out);
				addRenewal(world, i, out);
			}
		}
		return due;
	}

	private boolean addRepeatedAttempt(World world, int entry, Successors out) {
		KeyEntry from = world.entries[entry];
		if (!from.mustAsk || from.open != null || from.ticket == 0 || from.hasGrant()) {
			return false;
		}
		World next = world.copy();
		KeyEntry to = next.entries[entry];
		to.mustAsk = false;
		to.repeats++;
		if (to.repeats > this.settings.maxRepeats) {
			throw new BrokenProperty("L2", ModelTicket.entryName(entry) + " sends more than " + this.settings.maxRepeats
					+ " attempts without time passing");
		}
		Packet command = this.client.send(next, entry, Verb.ATTEMPT, to.ticket, 0);
		out.add(next, () -> ModelTicket.entryName(entry) + " asks again: " + command);
		return true;
	}

	/** A command or its reply is lost, or late. */
	private boolean addTimeOut(World world, int entry, Successors out) {
		KeyEntry from = world.entries[entry];
		if (from.open == null) {
			return false;
		}
		Packet awaited = world.awaited(entry, false);
		if (isInTime(awaited)) {
			return false;
		}
		World next = world.copy();
		next.stopListening(entry, false);
		next.entries[entry].unanswered |= from.open == Verb.ATTEMPT;
		boolean tryFails = from.open == Verb.ATTEMPT && from.single.tries;
		if (tryFails) {
			this.client.keeper().fail(next, entry);
		}
		Packet command = (from.open == Verb.ATTEMPT && (from.wantsCancel || tryFails)) ? this.client.cancel(next, entry)
				: this.client.send(next, entry, from.open, from.openTicket, from.openNext);
		out.add(next, () -> ModelTicket.entryName(entry) + ": command timed out, sends " + command);
		return awaited == null;
	}

	private boolean addRenewalTimeOut(World world, int entry, Successors out) {
		Packet awaited = world.awaited(entry, true);
		if (!world.entries[entry].renewing || isInTime(awaited)) {
			return false;
		}
		World next = world.copy();
		next.stopListening(entry, true);
		next.entries[entry].renewing = false;
		out.add(next, () -> ModelTicket.entryName(entry) + ": renewal timed out");
		return awaited == null;
	}

	private static boolean isInTime(@Nullable Packet awaited) {
		return awaited != null && awaited.age == 0;
	}

	private void addThreads(World world, int entry, Successors out) {
		KeyEntry from = world.entries[entry];
		String name = ModelTicket.entryName(entry);
		if (from.wishes > 0 && !from.grant.kept && !from.single.isActive()
				&& from.waiting + (from.holds ? 1 : 0) < this.settings.threads) {
			World next = world.copy();
			next.entries[entry].wishes--;
			next.entries[entry].waiting++;
			next.entries[entry].wantsCancel = false;
			this.client.attemptIfIdle(next, entry);
			out.add(next, () -> "a thread of " + name + " wants the lock");
		}
		if (from.waiting > 0 && world.giveUps > 0 && !from.single.isActive()) {
			World next = world.copy();
			next.giveUps--;
			KeyEntry to = next.entries[entry];
			to.waiting--;
			if (to.waiting == 0 && !to.holds && to.ticket != 0) {
				if (to.open == null) {
					this.client.cancel(next, entry);
				}
				else {
					to.wantsCancel = true;
				}
			}
			out.add(next, () -> "a waiting thread of " + name + " gives up");
		}
		if (from.holds && from.open == null) {
			World next = world.copy();
			String result = this.client.leave(next, entry);
			out.add(next, () -> "the holder of " + name + " leaves, " + result);
		}
	}

	private void addRenewal(World world, int entry, Successors out) {
		KeyEntry from = world.entries[entry];
		if (!this.settings.renewals || !from.holds || from.renewing || from.validity <= 0
				|| from.validity > this.settings.grace) {
			return;
		}
		World next = world.copy();
		next.entries[entry].renewing = true;
		Packet renewal = new Packet(entry, Verb.RENEW, from.ticket);
		renewal.firstToken = from.lastToken;
		renewal.lastToken = from.lastToken;
		next.packets.add(renewal);
		out.add(next, () -> ModelTicket.entryName(entry) + " sends " + renewal);
	}

}
