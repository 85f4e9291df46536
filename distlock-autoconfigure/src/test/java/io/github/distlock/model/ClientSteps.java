package io.github.distlock.model;

import org.jspecify.annotations.Nullable;

/** Steps that a JVM takes by itself: threads come and go, time-outs, renewals. */
record ClientSteps(SearchSettings settings, ClientRules client) {

	/** Add all steps. Answers whether one of them is due. */
	boolean add(World world, Successors out) {
		boolean due = false;
		for (int i = 0; i < world.entries.length; i++) {
			if (world.isAlive(i)) {
				due |= addRepeatedAttempt(world, i, out);
				due |= addAttemptTimeOut(world, i, out);
				due |= addDepartureTimeOuts(world, i, out);
				due |= addRenewalTimeOut(world, i, out);
				addThreads(world, i, out);
				addRenewal(world, i, out);
			}
		}
		return due;
	}

	private boolean addRepeatedAttempt(World world, int entry, Successors out) {
		KeyEntry from = world.entries[entry];
		if (!from.mustAsk || from.ticket == 0 || from.holds || !this.client.mayAttempt(from)) {
			return false;
		}
		World next = world.copy();
		KeyEntry to = next.entries[entry];
		to.repeats++;
		if (to.repeats > this.settings.maxRepeats) {
			throw new BrokenProperty("L2", ModelTicket.entryName(entry) + " sends more than " + this.settings.maxRepeats
					+ " attempts without time passing");
		}
		Packet command = this.client.attempt(next, entry);
		out.add(next, () -> ModelTicket.entryName(entry) + " asks again: " + command);
		return true;
	}

	/** An attempt or its reply is lost, or late. */
	private boolean addAttemptTimeOut(World world, int entry, Successors out) {
		KeyEntry from = world.entries[entry];
		Packet awaited = world.awaited(entry, Verb.ATTEMPT, from.ticket);
		if (!from.attempting || isInTime(awaited)) {
			return false;
		}
		World next = world.copy();
		KeyEntry to = next.entries[entry];
		next.stopListening(entry, Verb.ATTEMPT, from.ticket);
		to.attempting = false;
		to.attemptUnanswered = true;
		if (from.wantsCancel) {
			this.client.cancel(next, entry);
		}
		else if (!to.holds && this.client.mayAttempt(to)) {
			this.client.attempt(next, entry);
		}
		else {
			to.mustAsk |= !to.holds;
		}
		out.add(next, () -> ModelTicket.entryName(entry) + ": attempt timed out");
		return awaited == null;
	}

	/** A release, a cancel or its reply is lost, or late: it is sent again. */
	private boolean addDepartureTimeOuts(World world, int entry, Successors out) {
		boolean due = false;
		for (int i = 0; i < world.entries[entry].departures.size(); i++) {
			Packet from = world.entries[entry].departures.get(i);
			Packet awaited = world.awaited(entry, from.verb, from.ticket);
			if (isInTime(awaited)) {
				continue;
			}
			World next = world.copy();
			next.stopListening(entry, from.verb, from.ticket);
			Packet to = next.entries[entry].departures.get(i);
			to.repeated |= this.settings.attemptsBehindRelease;
			if (this.settings.attemptsBehindRelease) {
				to.fallback = false;
				to.dropNativeWord();
				next.entries[entry].tombstone = StoreState.NO_TOKEN;
			}
			if (this.settings.has(Flaw.RELEASE_NOT_REPEATED)) {
				next.entries[entry].remove(to);
				this.client.attemptIfIdle(next, entry);
			}
			else {
				ClientRules.send(next, to);
			}
			due |= awaited == null;
			out.add(next, () -> ModelTicket.entryName(entry) + ": timed out, sends again " + from);
		}
		return due;
	}

	private boolean addRenewalTimeOut(World world, int entry, Successors out) {
		int ticket = world.entries[entry].ticket;
		Packet awaited = world.awaited(entry, Verb.RENEW, ticket);
		if (!world.entries[entry].renewing || isInTime(awaited)) {
			return false;
		}
		World next = world.copy();
		next.stopListening(entry, Verb.RENEW, ticket);
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
		if (from.wishes > 0 && from.waiting + (from.holds ? 1 : 0) < this.settings.threads) {
			World next = world.copy();
			next.entries[entry].wishes--;
			next.entries[entry].waiting++;
			next.entries[entry].wantsCancel = false;
			this.client.attemptIfIdle(next, entry);
			out.add(next, () -> "a thread of " + name + " wants the lock");
		}
		if (from.waiting > 0 && world.giveUps > 0) {
			World next = world.copy();
			next.giveUps--;
			KeyEntry to = next.entries[entry];
			to.waiting--;
			if (to.waiting == 0 && !to.holds && to.ticket != 0) {
				if (this.client.mayLeave(to)) {
					this.client.cancel(next, entry);
				}
				else {
					to.wantsCancel = true;
				}
			}
			out.add(next, () -> "a waiting thread of " + name + " gives up");
		}
		if (from.holds && this.client.mayLeave(from)) {
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
		Packet renewal = this.client.renew(next, entry);
		out.add(next, () -> ModelTicket.entryName(entry) + " sends " + renewal);
	}

}
