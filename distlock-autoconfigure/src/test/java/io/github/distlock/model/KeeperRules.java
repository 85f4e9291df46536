package io.github.distlock.model;

/** What a JVM does with a lock that it keeps, and to get one that another JVM keeps. */
final class KeeperRules {

	/** How long a thread that tries once waits for the keeper: one command time-out. */
	private static final int ANSWER_TICKS = 1;

	private final SearchSettings settings;

	private final ClientRules client;

	KeeperRules(SearchSettings settings, ClientRules client) {
		this.settings = settings;
		this.client = client;
	}

	/** The last holder leaves. Answers whether the JVM keeps the lock. */
	boolean keep(World world, int entry) {
		KeyEntry client = world.entries[entry];
		KeptGrant grant = client.grant;
		boolean mayKeep = grant.keepable && client.waiting == 0 && client.departures.isEmpty()
				&& !client.attemptUnanswered && client.validity > 0 && world.isSubscribed(entry);
		if (!mayKeep || grant.mustReturn && !this.settings.has(Flaw.KEPT_AFTER_REQUEST)
				|| world.isStopped(entry) && !this.settings.has(Flaw.KEPT_AT_SHUTDOWN) || !hasToken(client)) {
			return false;
		}
		grant.kept = true;
		grant.ticksLeft = this.settings.keepTicks;
		world.stopListening(entry, Verb.RENEW, client.ticket);
		client.renewing = false;
		return true;
	}

	private boolean hasToken(KeyEntry client) {
		return client.nextToken <= client.lastToken || this.settings.has(Flaw.KEPT_BEYOND_TOKENS);
	}

	/** A thread wants the lock that its JVM keeps. Answers whether it enters. */
	boolean enter(World world, int entry) {
		KeyEntry client = world.entries[entry];
		client.waiting++;
		client.wantsCancel = false;
		boolean valid = client.validity > 0 || this.settings.has(Flaw.KEPT_WITHOUT_VALIDITY);
		if (valid && hasToken(client)) {
			client.grant.kept = false;
			client.grant.ticksLeft = 0;
			this.client.enter(world, entry, client.nextToken++);
			return true;
		}
		giveUp(world, entry);
		return false;
	}

	/** The kept lock goes back to the store. */
	void giveUp(World world, int entry) {
		KeyEntry client = world.entries[entry];
		client.grant.kept = this.settings.has(Flaw.KEPT_WHILE_RELEASED);
		client.grant.ticksLeft = 0;
		if (this.settings.has(Flaw.KEPT_GRANT_FORGOTTEN)) {
			client.ticket = 0;
			return;
		}
		this.client.release(world, entry);
		client.grant.givingUp = client.ticket == 0;
	}

	/** The JVM may have missed requests: it keeps no lock under its present tickets. */
	void inboxBack(World world, int entry) {
		KeyEntry client = world.entries[entry];
		if (this.settings.has(Flaw.KEPT_AFTER_RECONNECT)) {
			return;
		}
		if (client.grant.kept) {
			giveUp(world, entry);
		}
		else {
			client.grant.mustReturn |= client.ticket != 0;
		}
	}

	String messageArrived(World world, KeeperMessage message) {
		int entry = ModelTicket.entry(message.ticket());
		KeyEntry client = world.entries[entry];
		if (!world.isAlive(entry) || client.ticket != message.ticket()) {
			return "not for this grant";
		}
		return message.refusal() ? refused(world, entry) : requested(world, entry, message.requester());
	}

	private String requested(World world, int entry, int requester) {
		KeyEntry client = world.entries[entry];
		if (this.settings.has(Flaw.REQUEST_IGNORED)) {
			return "ignored";
		}
		boolean refuses = this.settings.has(Flaw.REFUSED_WHILE_KEPT);
		if (client.grant.kept && !(refuses && requester != 0)) {
			giveUp(world, entry);
			return "gives the lock up";
		}
		client.grant.mustReturn = true;
		if (client.holds && this.settings.has(Flaw.RELEASED_WHILE_HELD)) {
			Packet release = new Packet(entry, Verb.RELEASE, client.ticket);
			release.audience = Audience.GIVEN_UP;
			release.used = client.nextToken - 1;
			world.packets.add(release);
		}
		if (requester != 0 && (client.holds || client.waiting > 0 || refuses)) {
			world.sendToKeeper(new KeeperMessage(requester, 0, true));
			return "refuses";
		}
		return "will not keep the lock";
	}

	private String refused(World world, int entry) {
		KeyEntry client = world.entries[entry];
		if (!client.single.asks || client.holds) {
			return "ignored";
		}
		fail(world, entry);
		leaveQueue(world, entry);
		return "the try fails";
	}

	/** A try fails. */
	void fail(World world, int entry) {
		KeyEntry client = world.entries[entry];
		if (client.single.uncontended) {
			throw new BrokenProperty("T1", "a thread of " + ModelTicket.entryName(entry)
					+ " that tries once fails, but no other thread held or wanted the lock");
		}
		client.single.end();
		client.waiting--;
	}

	/** The ticket of a failed try is in the store. */
	void leaveQueue(World world, int entry) {
		if (world.entries[entry].isIdle()) {
			this.client.cancel(world, entry);
		}
		else {
			world.entries[entry].wantsCancel = true;
		}
	}

	/** The lock is held, kept, or others wait. */
	void busy(World world, Packet reply) {
		KeyEntry client = world.entries[reply.entry];
		if (reply.keepable && !world.isOld(reply.entry) && !this.settings.has(Flaw.TRY_WITHOUT_REQUEST)) {
			client.single.tries = false;
			client.single.asks = true;
			client.single.ticksLeft = ANSWER_TICKS;
			this.client.attempt(world, reply.entry);
			return;
		}
		fail(world, reply.entry);
		client.ticket = 0;
	}

}
