package io.github.distlock.model;

/** What a JVM does when a thread, a reply or a message arrives. */
final class ClientRules {

	/** Longer than each retry interval. */
	private static final int UNKNOWN_TTL = 9;

	/** Longer than a command is late: one slow tick. */
	private static final int STRAY_DELAY = 2;

	private final SearchSettings settings;

	private final KeeperRules keeper;

	ClientRules(SearchSettings settings) {
		this.settings = settings;
		this.keeper = new KeeperRules(settings, this);
	}

	KeeperRules keeper() {
		return this.keeper;
	}

	/** Send a command and wait for its answer. */
	Packet send(World world, int entry, Verb verb, int ticket, int next) {
		KeyEntry client = world.entries[entry];
		client.open = verb;
		client.openTicket = ticket;
		client.openNext = next;
		Packet command = new Packet(entry, verb, ticket);
		command.next = next;
		command.used = client.openUsed;
		if (verb == Verb.ATTEMPT && this.settings.keepTicks > 0) {
			command.keepable = !world.isOld(entry) && world.isSubscribed(entry);
			command.unqueued = client.single.tries;
			command.wantsAnswer = client.single.asks;
		}
		world.packets.add(command);
		return command;
	}

	/** The current ticket leaves the store. */
	private Packet sendLeaving(World world, int entry, Verb verb, int ticket, int next) {
		KeyEntry client = world.entries[entry];
		client.openUnanswered = client.unanswered;
		client.unanswered = false;
		return send(world, entry, verb, ticket, next);
	}

	/** A thread waits: attempt with a new ticket, unless something is on its way. */
	void attemptIfIdle(World world, int entry) {
		KeyEntry client = world.entries[entry];
		if (client.ticket == 0 && client.open == null && !client.holds && client.waiting > 0) {
			client.ticket = newTicket(client, entry);
			client.mustAsk = false;
			client.timer = KeyEntry.NO_TIMER;
			send(world, entry, Verb.ATTEMPT, client.ticket, 0);
		}
	}

	private static int newTicket(KeyEntry client, int entry) {
		client.grant.keepable = false;
		client.grant.handBack = false;
		return ModelTicket.of(entry, ++client.tickets);
	}

	Packet cancel(World world, int entry) {
		KeyEntry client = world.entries[entry];
		int ticket = client.ticket;
		world.stopListening(entry, false);
		if (!this.settings.has(Flaw.ENTRY_LEAKS)) {
			client.ticket = 0;
		}
		client.wantsCancel = false;
		client.timer = KeyEntry.NO_TIMER;
		client.mustAsk = false;
		client.openUsed = 0;
		return sendLeaving(world, entry, Verb.CANCEL, ticket, 0);
	}

	/** A thread becomes the holder. */
	void enter(World world, int entry, int token) {
		KeyEntry client = world.entries[entry];
		client.single.end();
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
		enter(world, entry, firstToken);
	}

	/** The holder leaves: hand the lock off, or release it and queue the next ticket. */
	String leave(World world, int entry) {
		KeyEntry client = world.entries[entry];
		client.holds = false;
		if (client.waiting > 0 && client.handOffs < this.settings.handOffs && client.nextToken <= client.lastToken
				&& (client.validity > 0 || this.settings.has(Flaw.HAND_OFF_WITHOUT_VALIDITY))) {
			client.handOffs++;
			enter(world, entry, client.nextToken++);
			return "hands the lock off";
		}
		if (this.keeper.keep(world, entry)) {
			return "keeps the lock";
		}
		return "sends " + release(world, entry);
	}

	/** Release the lock, and queue the next ticket. */
	Packet release(World world, int entry) {
		KeyEntry client = world.entries[entry];
		int ticket = client.ticket;
		world.stopListening(entry, false);
		world.stopListening(entry, true);
		client.renewing = false;
		client.validity = 0;
		client.handOffs = 0;
		client.ticket = (client.waiting > 0) ? newTicket(client, entry) : 0;
		client.openUsed = client.nextToken - 1;
		client.grant.givingUp = false;
		return sendLeaving(world, entry, Verb.RELEASE, ticket, client.ticket);
	}

	void replyArrived(World world, Packet reply) {
		if (reply.isRenewal()) {
			renewalAnswered(world.entries[reply.entry], reply);
			return;
		}
		KeyEntry client = world.entries[reply.entry];
		if (client.openUnanswered && !this.settings.has(Flaw.NO_SECOND_CANCEL)) {
			cancelLater(world, reply.entry, client.openTicket);
		}
		client.open = null;
		client.openTicket = 0;
		client.openNext = 0;
		client.openUnanswered = false;
		client.grant.givingUp = false;
		if (reply.verb == Verb.CANCEL) {
			attemptIfIdle(world, reply.entry);
		}
		else if (client.hasGrant()) {
			// A message was faster.
			return;
		}
		else if (client.wantsCancel && client.ticket != 0) {
			cancel(world, reply.entry);
		}
		else if (reply.verb == Verb.ATTEMPT) {
			attemptAnswered(world, client, reply);
		}
		else {
			releaseAnswered(world, client, reply);
		}
	}

	/** A copy of an attempt may arrive after the ticket has left: cancel it once more. */
	private static void cancelLater(World world, int entry, int ticket) {
		Packet cancel = new Packet(entry, Verb.CANCEL, ticket);
		cancel.audience = Audience.GIVEN_UP;
		cancel.delay = STRAY_DELAY;
		world.packets.add(cancel);
	}

	private void attemptAnswered(World world, KeyEntry client, Packet reply) {
		if (reply.answer == Answer.BUSY) {
			this.keeper.busy(world, reply);
		}
		else if (reply.answer == Answer.WAITING && client.single.asks && !reply.first) {
			// Others wait.
			this.keeper.fail(world, reply.entry);
			cancel(world, reply.entry);
		}
		else if (reply.answer == Answer.WAITING) {
			awaitMessage(client, reply.ttl);
		}
		else if (reply.validity > 0 || this.settings.has(Flaw.OWN_GRANT_UNCHECKED)) {
			client.grant.keepable = reply.keepable;
			enterUnderGrant(world, reply.entry, reply.firstToken, reply.lastToken, reply.validity);
		}
		else {
			client.mustAsk = true;
		}
	}

	private void releaseAnswered(World world, KeyEntry client, Packet reply) {
		if (client.ticket == 0) {
			attemptIfIdle(world, reply.entry);
		}
		else if (reply.answer == Answer.GONE) {
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

	private void renewalAnswered(KeyEntry client, Packet reply) {
		client.renewing = false;
		if (!client.holds || client.ticket != reply.ticket) {
			return;
		}
		if (reply.answer == Answer.GONE) {
			client.validity = 0;
		}
		else if (client.validity > 0) {
			client.validity = Math.max(client.validity, reply.validity);
		}
	}

	private void awaitMessage(KeyEntry client, int holderTtl) {
		if (this.settings.has(Flaw.WAITER_SPINS)) {
			client.mustAsk = true;
			return;
		}
		client.timer = this.settings.has(Flaw.NO_RETRY_TIMER) ? KeyEntry.NO_TIMER
				: Math.max(1, Math.min(holderTtl, this.settings.retryInterval));
	}

	String messageArrived(World world, GrantMessage message) {
		int entry = ModelTicket.entry(message.ticket);
		KeyEntry client = world.entries[entry];
		if (!world.isAlive(entry)) {
			return "not received";
		}
		if (message.ticket == client.openTicket && message.ticket != client.ticket
				&& !this.settings.has(Flaw.LEAVING_TICKET_UNKNOWN)) {
			// Its release or cancel is on its way, with the tokens that were used.
			return "leaves already";
		}
		if (message.ticket != client.ticket || client.grant.kept && this.settings.has(Flaw.KEPT_TICKET_UNKNOWN)) {
			Packet bounced = new Packet(entry, Verb.RELEASE, message.ticket);
			bounced.audience = Audience.GIVEN_UP;
			bounced.used = message.firstToken;
			world.packets.add(bounced);
			return "not wanted, released";
		}
		if (client.hasGrant() || client.wantsCancel) {
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
