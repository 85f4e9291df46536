package io.github.distlock.model;

import java.util.Arrays;
import java.util.List;

/** The functions of grant.lua, with which scripts pass the lock on to waiting tickets. */
final class GrantFunctions {

	private final SearchSettings settings;

	private final World world;

	private final StoreState store;

	/** Where messages go: not onto the wire when a script is only tried out. */
	private final List<Packet> messages;

	/** How many messages were published, with or without a receiver. */
	int published;

	/** Whether the JVM whose script this is may publish. */
	private boolean mayPublish = true;

	GrantFunctions(SearchSettings settings, World world, List<Packet> messages) {
		this.settings = settings;
		this.world = world;
		this.store = world.store;
		this.messages = messages;
	}

	/** The functions run in the script of a command. */
	void runFor(Packet command) {
		this.mayPublish = !this.settings.mute || !this.world.isDeaf(command.entry);
	}

	/**
	 * Grant the lock to the longest waiting ticket that is alive. If that is the
	 * requester, the ticket whose command this is, it gets a whole lease and no message.
	 * A lock that has expired instead of being released was abandoned.
	 */
	boolean grantNext(int last, int requester, boolean abandoned) {
		if (this.store.claim != 0) {
			int jvm = this.store.claim - 1;
			this.store.removeClaim();
			if (abandoned && this.world.jvmOfTicket(requester) != jvm) {
				dropAll(jvm);
			}
		}
		StoreState before = this.store.copy();
		while (this.store.queue.length > 0) {
			int ticket = this.store.queue[0];
			boolean polls = this.store.polled[0];
			this.store.dequeue(ticket);
			if (ticket == requester) {
				own(ticket, last, this.settings.lease, false);
				return true;
			}
			boolean received = this.settings.has(Flaw.PUBLISH_BEFORE_WRITE) ? publishFirst(ticket, last)
					: writeAndPublish(ticket, last, polls);
			if (received || !this.settings.countedReceivers || polls) {
				claimFor(ticket);
				return true;
			}
		}
		// The last grant was written for a ticket that no JVM hears of: it does not
		// count.
		this.store.own(before.owner, before.lastToken, before.ttl, before.grace, before.marked);
		return false;
	}

	/** A grant by message for a fair caller, while others wait. */
	private void claimFor(int ticket) {
		if (this.settings.entriesPerJvm > 1 && this.store.queue.length > 0) {
			this.store.claim = this.world.jvmOfTicket(ticket) + 1;
		}
	}

	/** A JVM did not confirm a grant in time: all its tickets lose their places. */
	private void dropAll(int jvm) {
		Arrays.stream(this.store.queue)
			.filter((ticket) -> this.world.jvmOfTicket(ticket) == jvm)
			.forEach(this.store::dequeue);
	}

	/** Write the value of an owner, while tickets may wait. */
	void own(int ticket, int last, int ttl, boolean grace) {
		int first = (last == StoreState.NO_TOKEN) ? 0 : Math.max(last + 1, 0);
		this.store.own(ticket, first + this.settings.tokensPerGrant - 1, ttl, grace, true);
	}

	private boolean writeAndPublish(int ticket, int last, boolean polls) {
		own(ticket, last, polls ? this.settings.pollGrace : this.settings.grace, true);
		return publish(ticket);
	}

	/** A grant in two steps that are not one script. */
	private boolean publishFirst(int ticket, int last) {
		StoreState before = this.store.copy();
		boolean received = writeAndPublish(ticket, last, false);
		Packet write = new Packet(ModelTicket.entry(ticket), Verb.LATE_WRITE, ticket);
		write.audience = Audience.GIVEN_UP;
		write.firstToken = firstToken();
		write.lastToken = this.store.lastToken;
		this.store.own(before.owner, before.lastToken, before.ttl, before.grace, before.marked);
		this.world.packets.add(write);
		return received;
	}

	/** Publish the grant. Answers whether the server counts a receiver. */
	private boolean publish(int ticket) {
		int jvm = this.world.jvmOfTicket(ticket);
		this.published++;
		if (!this.mayPublish) {
			return true;
		}
		if (this.world.alive[jvm] && this.world.subscribed[jvm]) {
			Packet message = new Packet(ModelTicket.entry(ticket), Verb.MESSAGE, ticket);
			message.firstToken = firstToken();
			message.lastToken = this.store.lastToken;
			message.ttl = this.store.ttl;
			this.messages.add(message);
			return true;
		}
		return this.world.halfOpen[jvm];
	}

	private int firstToken() {
		return this.store.lastToken - this.settings.tokensPerGrant + 1;
	}

}
