package io.github.distlock.model;

import java.util.List;

/** The scripts of the server. Each is atomic. */
final class LockScripts {

	private final SearchSettings settings;

	private final StoreState store;

	final GrantFunctions grants;

	private final NativeCommands nativeCommands;

	LockScripts(SearchSettings settings, World world, List<Packet> messages) {
		this.settings = settings;
		this.store = world.store;
		this.grants = new GrantFunctions(settings, world, messages);
		this.nativeCommands = new NativeCommands(settings, world.store);
	}

	/** Execute a command, and write its answer into it. */
	void run(Packet command) {
		this.grants.runFor(command);
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

	/** attempt.lua. */
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
			boolean granted = this.grants.grantNext(this.store.lastToken, command.ticket, this.store.isAbsent());
			if (!granted) {
				this.grants.own(command.ticket, this.store.lastToken, lease, false);
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

	/** release.lua. */
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
		if (first || !this.grants.grantNext(last, 0, false)) {
			if (command.next == 0) {
				this.store.bury(last, this.settings.tombstone);
				return;
			}
			this.grants.own(command.next, last, this.settings.lease, false);
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

	/** cancel.lua. */
	private void cancel(Packet command) {
		command.answer = Answer.DONE;
		if (this.store.owner != command.ticket) {
			this.store.dequeue(command.ticket);
		}
		else if (!this.settings.has(Flaw.CANCEL_FORGETS_GRANT)
				&& !this.grants.grantNext(this.store.lastToken, 0, false)) {
			this.store.bury(this.store.lastToken, this.settings.tombstone);
		}
	}

	/** renew.lua. */
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

}
