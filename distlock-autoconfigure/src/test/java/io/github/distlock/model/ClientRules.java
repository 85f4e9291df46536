package io.github.distlock.model;

/** What a JVM does when a thread, a reply or a message arrives. */
record ClientRules(SearchSettings settings, TurnRules turns) {

	/** Longer than each retry interval. */
	private static final int UNKNOWN_TTL = 9;

	/** Longer than a command is late: one slow tick. */
	private static final int STRAY_DELAY = 2;

	ClientRules(SearchSettings settings) {
		this(settings, new TurnRules(settings));
	}

	Packet attempt(World world, int entry) {
		KeyEntry client = world.entries[entry];
		client.attempting = true;
		client.mustAsk = false;
		Packet command = new Packet(entry, Verb.ATTEMPT, client.ticket);
		command.polling = polling(world, entry, client.refused >= this.settings.refusedTicks);
		if (client.tombstone != StoreState.NO_TOKEN) {
			command.nativeWord = true;
			command.used = client.tombstone;
			command.firstToken = client.tombstone;
			command.lastToken = client.tombstone;
		}
		world.packets.add(command);
		return command;
	}

	/** A ticket without messages asks for a place only if it was refused for long. */
	private Polling polling(World world, int entry, boolean starves) {
		if (!world.isDeaf(entry)) {
			return Polling.NONE;
		}
		return (starves && !this.settings.has(Flaw.POLLER_NOT_QUEUED)) ? Polling.PLACE : Polling.REFUSED;
	}

	boolean mayAttempt(KeyEntry client) {
		if (client.attempting) {
			return false;
		}
		if (!this.settings.attemptsBehindRelease) {
			return client.departures.isEmpty();
		}
		boolean early = client.awaitsNativeRelease() && !this.settings.has(Flaw.SCRIPT_BEHIND_NATIVE_RELEASE);
		return !early && !client.isSuccessor(client.ticket)
				&& client.departures.stream().noneMatch((each) -> each.repeated && each.verb == Verb.RELEASE);
	}

	boolean mayLeave(KeyEntry client) {
		if (client.attempting) {
			return false;
		}
		if (this.settings.has(Flaw.SUCCESSOR_LEAVES_EARLY)) {
			return true;
		}
		return this.settings.attemptsBehindRelease ? !client.isSuccessor(client.ticket) : client.departures.isEmpty();
	}

	/** A thread waits: attempt with a new ticket, if that is allowed. */
	void attemptIfIdle(World world, int entry) {
		KeyEntry client = world.entries[entry];
		if (client.ticket == 0 && !client.holds && client.waiting > 0 && mayAttempt(client)) {
			boolean reused = this.settings.has(Flaw.TICKET_REUSED) && !client.departures.isEmpty();
			client.ticket = reused ? client.departures.get(0).ticket : newTicket(client, entry);
			client.refused = 0;
			client.timer = KeyEntry.NO_TIMER;
			attempt(world, entry);
		}
	}

	private static int newTicket(KeyEntry client, int entry) {
		return ModelTicket.of(entry, ++client.tickets);
	}

	/** No thread wants the ticket any more. */
	void cancel(World world, int entry) {
		KeyEntry client = world.entries[entry];
		Packet leaving = new Packet(entry, Verb.CANCEL, client.ticket);
		if (!this.settings.has(Flaw.ENTRY_LEAKS)) {
			client.ticket = 0;
		}
		client.wantsCancel = false;
		client.timer = KeyEntry.NO_TIMER;
		client.mustAsk = false;
		client.refused = 0;
		depart(world, leaving);
	}

	private static void depart(World world, Packet leaving) {
		KeyEntry client = world.entries[leaving.entry];
		leaving.attemptUnanswered = client.attemptUnanswered;
		client.attemptUnanswered = false;
		client.add(leaving);
		send(world, leaving);
	}

	/** Send a release or a cancel, for the first time or again. */
	static void send(World world, Packet leaving) {
		Packet command = leaving.copy();
		command.attemptUnanswered = false;
		command.polling = (leaving.next != 0 && world.isDeaf(leaving.entry)) ? Polling.REFUSED : Polling.NONE;
		if (leaving.fallback) {
			world.markAhead(leaving.entry);
		}
		world.packets.add(command);
	}

	/** A thread becomes the holder. */
	void enter(World world, int entry, int token) {
		KeyEntry client = world.entries[entry];
		client.holds = true;
		client.waiting--;
		world.idleTicks = 0;
		if (token <= world.lastEntered && world.lastEntered != StoreState.NO_TOKEN && !world.flushed) {
			throw new BrokenProperty("S2",
					ModelTicket.entryName(entry) + " enters with a fencing token that is not above the last one");
		}
		world.lastEntered = Math.max(token, world.lastEntered);
	}

	private void enterUnderGrant(World world, int entry, int firstToken, int lastToken, int validity) {
		KeyEntry client = world.entries[entry];
		client.validity = validity;
		client.nextToken = firstToken + 1;
		client.lastToken = lastToken;
		client.handOffs = 0;
		client.timer = KeyEntry.NO_TIMER;
		client.mustAsk = false;
		// Also for its other callers: only one of them has a place at a time.
		for (int i = 0; i < world.entries.length; i++) {
			if (world.jvmOfEntry(i) == world.jvmOfEntry(entry)) {
				world.entries[i].refused = 0;
			}
		}
		enter(world, entry, firstToken);
		this.turns.entered(world, entry, true);
	}

	/** The holder leaves: hand the lock off, or release it and queue the next ticket. */
	String leave(World world, int entry) {
		KeyEntry client = world.entries[entry];
		client.holds = false;
		if (client.waiting > 0 && this.turns.allowsHandOff(client)) {
			client.handOffs++;
			enter(world, entry, client.nextToken++);
			this.turns.entered(world, entry, false);
			return "hands the lock off";
		}
		return "sends " + release(world, entry);
	}

	/** Release the lock, and queue the next ticket. */
	private Packet release(World world, int entry) {
		KeyEntry client = world.entries[entry];
		int ticket = client.ticket;
		world.stopListening(entry, Verb.RENEW, ticket);
		client.renewing = false;
		client.validity = 0;
		client.handOffs = 0;
		client.ticket = (client.waiting > 0) ? newTicket(client, entry) : 0;
		client.refused = 0;
		Packet leaving = new Packet(entry, Verb.RELEASE, ticket);
		leaving.next = client.ticket;
		leaving.used = client.nextToken - 1;
		leaving.nativeWord = client.ticket == 0 && hasNativeCommands(world, entry);
		if (leaving.nativeWord) {
			leaving.firstToken = client.lastToken;
			leaving.lastToken = client.lastToken;
		}
		client.tombstone = (leaving.nativeWord && this.settings.predictsTombstones()) ? leaving.used
				: StoreState.NO_TOKEN;
		depart(world, leaving);
		return leaving;
	}

	private boolean hasNativeCommands(World world, int entry) {
		return this.settings.nativeWords && !world.hasOnlyScripts(entry);
	}

	/** Renew the lease of a grant, as a native command first. */
	Packet renew(World world, int entry) {
		return renew(world, entry, hasNativeCommands(world, entry));
	}

	private Packet renew(World world, int entry, boolean nativeWord) {
		KeyEntry client = world.entries[entry];
		client.renewing = true;
		Packet renewal = new Packet(entry, Verb.RENEW, client.ticket);
		renewal.nativeWord = nativeWord;
		renewal.firstToken = client.lastToken;
		renewal.lastToken = client.lastToken;
		world.packets.add(renewal);
		return renewal;
	}

	private void renewalAnswered(World world, KeyEntry client, Packet reply) {
		client.renewing = false;
		if (!client.holds || client.ticket != reply.ticket) {
			return;
		}
		if (reply.answer == Answer.MISMATCH) {
			renew(world, reply.entry, false);
		}
		else if (reply.answer == Answer.GONE) {
			client.validity = 0;
		}
		else if (client.validity > 0) {
			client.validity = Math.max(client.validity, reply.validity);
		}
	}

	void replyArrived(World world, Packet reply) {
		KeyEntry client = world.entries[reply.entry];
		if (reply.isRenewal()) {
			renewalAnswered(world, client, reply);
		}
		else if (reply.verb == Verb.ATTEMPT) {
			client.attempting = false;
			if (reply.answer == Answer.MISMATCH) {
				client.tombstone = StoreState.NO_TOKEN;
			}
			if (client.holds) {
				// A message was faster.
				return;
			}
			if (client.wantsCancel) {
				cancel(world, reply.entry);
				return;
			}
			attemptAnswered(world, client, reply);
		}
		else {
			departed(world, client, reply);
		}
	}

	private void departed(World world, KeyEntry client, Packet reply) {
		Packet leaving = client.departure(reply.ticket);
		if (leaving == null) {
			return;
		}
		if (reply.answer == Answer.MISMATCH) {
			leaving.dropNativeWord();
			leaving.fallback = this.settings.attemptsBehindRelease && !leaving.repeated;
			if (this.settings.attemptsBehindRelease) {
				client.tombstone = StoreState.NO_TOKEN;
			}
			send(world, leaving);
			attemptIfIdle(world, reply.entry);
			return;
		}
		client.remove(leaving);
		if (reply.nativeWord && !this.settings.predictsTombstones()) {
			client.tombstone = leaving.used;
		}
		if (leaving.attemptUnanswered && !this.settings.has(Flaw.NO_SECOND_CANCEL)) {
			cancelLater(world, reply.entry, leaving.ticket);
		}
		if (leaving.next != 0 && leaving.next == client.ticket && !client.holds) {
			if (client.wantsCancel) {
				cancel(world, reply.entry);
				return;
			}
			successorAnswered(world, client, reply);
		}
		attemptIfIdle(world, reply.entry);
	}

	/** A copy of an attempt may arrive after the ticket has left: cancel it once more. */
	private static void cancelLater(World world, int entry, int ticket) {
		Packet cancel = new Packet(entry, Verb.CANCEL, ticket);
		cancel.audience = Audience.GIVEN_UP;
		cancel.delay = STRAY_DELAY;
		world.packets.add(cancel);
	}

	private void attemptAnswered(World world, KeyEntry client, Packet reply) {
		if (reply.answer == Answer.MISMATCH && mayAttempt(client)) {
			attempt(world, reply.entry);
		}
		else if (reply.answer == Answer.MISMATCH) {
			client.mustAsk = true;
		}
		else if (reply.answer == Answer.WAITING) {
			awaitMessage(client, reply.ttl);
		}
		else if (reply.validity > 0 || this.settings.has(Flaw.OWN_GRANT_UNCHECKED)) {
			enterUnderGrant(world, reply.entry, reply.firstToken, reply.lastToken, reply.validity);
		}
		else {
			client.mustAsk = true;
		}
	}

	private void successorAnswered(World world, KeyEntry client, Packet reply) {
		if (reply.answer == Answer.GONE) {
			// It is unknown whether the release has queued the next ticket.
			client.mustAsk = true;
		}
		else if (reply.nextGranted && reply.validity > 0) {
			enterUnderGrant(world, reply.entry, reply.firstToken, reply.lastToken, reply.validity);
		}
		else {
			awaitMessage(client, UNKNOWN_TTL);
		}
	}

	private void awaitMessage(KeyEntry client, int holderTtl) {
		if (this.settings.has(Flaw.WAITER_SPINS)) {
			client.mustAsk = true;
			return;
		}
		if (this.settings.has(Flaw.POLLER_ASKS_RARELY)) {
			client.timer = this.settings.pollGrace + 1;
			return;
		}
		client.timer = this.settings.has(Flaw.NO_RETRY_TIMER) ? KeyEntry.NO_TIMER
				: Math.max(1, Math.min(holderTtl, this.settings.retryInterval));
	}

	String messageArrived(World world, Packet message) {
		int entry = message.entry;
		KeyEntry client = world.entries[entry];
		if (!world.isAlive(entry)) {
			return "not received";
		}
		if (message.ticket != client.ticket && client.departure(message.ticket) != null
				&& !this.settings.has(Flaw.LEAVING_TICKET_UNKNOWN)) {
			// Its release or cancel is on its way, with the tokens that were used.
			return "leaves already";
		}
		if (message.ticket != client.ticket) {
			Packet bounced = new Packet(entry, Verb.RELEASE, message.ticket);
			bounced.audience = Audience.GIVEN_UP;
			bounced.used = message.firstToken;
			world.packets.add(bounced);
			return "not wanted, released";
		}
		if (client.holds || client.wantsCancel) {
			return "ignored";
		}
		if (message.ttl <= 0 && !this.settings.has(Flaw.MESSAGE_UNCHECKED)) {
			client.mustAsk = true;
			return "has ended, must ask";
		}
		int validity = this.settings.has(Flaw.MESSAGE_UNCHECKED) ? this.settings.grace : message.ttl;
		enterUnderGrant(world, entry, message.firstToken, message.lastToken, validity);
		return "enters";
	}

}
