package io.github.distlock.model;

import java.util.Arrays;
import java.util.List;

/**
 * The scripts of the server, each of which is atomic, and the functions of grant.lua,
 * with which they pass the lock on to waiting tickets.
 */
final class LockScripts {

	private final SearchSettings settings;

	private final World world;

	private final StoreState store;

	/** Where messages go: not onto the wire when a script is only tried out. */
	private final List<Packet> messages;

	/** How many messages were published, with or without a receiver. */
	int published;

	/** Whether the JVM whose script this is may publish. */
	private boolean mayPublish = true;

	private final NativeCommands nativeCommands;

	LockScripts(SearchSettings settings, World world, List<Packet> messages) {
		this.settings = settings;
		this.world = world;
		this.store = world.store;
		this.messages = messages;
		this.nativeCommands = new NativeCommands(settings, world.store);
	}

	/** Execute a command, and write its answer into it. */
	void run(Packet command) {
		this.mayPublish = !this.settings.mute || !this.world.isDeaf(command.entry);
		if (command.nativeWord) {
			this.nativeCommands.run(command);
			return;
		}
		switch (command.verb) {
			case ATTEMPT -> attempt(command);
			case RELEASE -> release(command);
			case CANCEL -> cancel(command);
			case RENEW -> renew(command);
			case LATE_WRITE -> {
				this.store.own(command.ticket, command.lastToken, this.settings.grace, true, true);
				command.answer = Answer.DONE;
			}
			case MESSAGE -> throw new IllegalArgumentException("Not a command: " + command);
		}
	}

	private void attempt(Packet command) {
		int lease = this.settings.lease;
		boolean passedTombstone = this.store.owner == 0 && !this.store.isAbsent() && this.store.lastToken < 0;
		if (passedTombstone || this.store.isAbsent() && this.store.isQueueEmpty()) {
			// No ticket waits, so the queue is not looked at.
			this.store.own(command.ticket, this.settings.tokensPerGrant - 1, lease, false, false);
			granted(command, lease);
			return;
		}
		if (this.store.owner == command.ticket) {
			// Otherwise never refreshed: a stray copy must not lengthen anything.
			if (command.polling == Polling.PLACE && this.store.grace) {
				this.store.ttl = lease;
				this.store.grace = false;
			}
			granted(command, this.store.ttl);
			return;
		}
		if (this.store.owner == 0) {
			boolean granted = grantNext(this.store.lastToken, command.ticket, this.store.isAbsent());
			if (!granted) {
				own(command.ticket, this.store.lastToken, lease, false);
			}
			if (this.store.owner == command.ticket) {
				granted(command, this.store.ttl);
				return;
			}
		}
		if (mayQueue(command)) {
			enqueue(command.ticket, command.polling == Polling.PLACE);
		}
		command.answer = Answer.WAITING;
		command.ttl = this.store.ttl;
	}

	/** Two tickets that poll do not follow each other. */
	private boolean mayQueue(Packet command) {
		return command.polling == Polling.NONE || command.polling == Polling.PLACE
				&& (this.store.isQueued(command.ticket) || !this.store.endsWithPolled());
	}

	private void enqueue(int ticket, boolean polls) {
		boolean queued = this.store.isQueued(ticket);
		this.store.enqueue(ticket, polls && !this.settings.has(Flaw.POLLER_COUNTED), this.settings.queueLifetime);
		if (!queued && !this.settings.has(Flaw.QUEUED_WITHOUT_MARK)) {
			this.store.marked = true;
		}
	}

	private void release(Packet command) {
		if (this.store.owner != command.ticket && !this.settings.has(Flaw.RELEASE_WITHOUT_OWNER_CHECK)) {
			command.answer = Answer.GONE;
			return;
		}
		command.answer = Answer.RELEASED;
		int used = command.used;
		if (!this.store.marked && command.next == 0 && used >= firstToken()) {
			// No ticket waits, so the queue is not looked at.
			this.store.bury(used, this.settings.tombstone);
			return;
		}
		// The unused tokens are given back.
		int last = (used >= firstToken()) ? Math.min(this.store.lastToken, used) : this.store.lastToken;
		if (command.next != 0 && this.store.isQueueEmpty() && used >= firstToken() && last < 0) {
			// No ticket waits, and the clock has passed the last token.
			this.store.own(command.next, this.settings.tokensPerGrant - 1, this.settings.lease, false, false);
			grantIn(command, this.store.ttl);
			command.nextGranted = true;
			return;
		}
		boolean first = command.next != 0 && this.settings.has(Flaw.SUCCESSOR_GRANTED_FIRST);
		if (first || !grantNext(last, 0, false)) {
			if (command.next == 0) {
				this.store.bury(last, this.settings.tombstone);
				return;
			}
			own(command.next, last, this.settings.lease, false);
		}
		if (command.next == 0) {
			return;
		}
		if (this.store.owner == command.next) {
			grantIn(command, this.store.ttl);
			command.nextGranted = true;
			return;
		}
		if (mayQueue(command)) {
			enqueue(command.next, false);
		}
		command.ttl = this.store.ttl;
	}

	private void cancel(Packet command) {
		command.answer = Answer.DONE;
		if (this.store.owner != command.ticket) {
			this.store.dequeue(command.ticket);
		}
		else if (!this.settings.has(Flaw.CANCEL_FORGETS_GRANT) && !grantNext(this.store.lastToken, 0, false)) {
			this.store.bury(this.store.lastToken, this.settings.tombstone);
		}
	}

	private void renew(Packet command) {
		boolean owned = this.store.owner == command.ticket && this.store.lastToken == command.lastToken;
		if (!owned && !this.settings.has(Flaw.RENEWAL_CREATES)) {
			command.answer = Answer.GONE;
			return;
		}
		this.store.owner = command.ticket;
		this.store.ttl = Math.max(this.store.ttl, this.settings.lease);
		this.store.grace = false;
		command.answer = Answer.RENEWED;
		command.validity = this.settings.lease - command.age;
	}

	private int firstToken() {
		return this.store.lastToken - this.settings.tokensPerGrant + 1;
	}

	private void granted(Packet command, int ttl) {
		command.answer = Answer.GRANTED;
		grantIn(command, ttl);
	}

	private void grantIn(Packet command, int ttl) {
		command.firstToken = firstToken();
		command.lastToken = this.store.lastToken;
		command.validity = this.settings.has(Flaw.VALIDITY_FROM_REPLY) ? ttl : Math.max(0, ttl - command.age);
	}

	/**
	 * Grant the lock to the longest waiting ticket that is alive. If that is the
	 * requester, the ticket whose command this is, it gets a whole lease and no message.
	 * A lock that has expired instead of being released was abandoned.
	 */
	private boolean grantNext(int last, int requester, boolean abandoned) {
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
	private void own(int ticket, int last, int ttl, boolean grace) {
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

}
