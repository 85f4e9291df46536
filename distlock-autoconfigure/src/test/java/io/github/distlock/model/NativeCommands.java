package io.github.distlock.model;

/**
 * Commands without a script: each replaces the value of the lock if it is exactly what
 * the client expects ({@code SET ... IFEQ}). Otherwise nothing changes, and the client
 * sends the script.
 */
record NativeCommands(SearchSettings settings, StoreState store) {

	void run(Packet command) {
		command.answer = Answer.MISMATCH;
		switch (command.verb) {
			case ATTEMPT -> takeAgain(command);
			case RELEASE -> release(command);
			case RENEW -> renew(command);
			default -> throw new IllegalArgumentException("Not a native command: " + command);
		}
	}

	/** The tombstone that the client has written becomes the value of its new ticket. */
	private void takeAgain(Packet command) {
		boolean tombstone = this.store.owner == 0 && !this.store.isAbsent();
		if (tombstone && (this.store.lastToken == command.used || this.settings.has(Flaw.ANY_TOMBSTONE_TAKEN))) {
			// The client does not know the clock: the lowest token that is possible.
			int last = command.used + this.settings.tokensPerGrant;
			this.store.own(command.ticket, last, this.settings.lease, false, false);
			command.answer = Answer.GRANTED;
			command.firstToken = command.used + 1;
			command.lastToken = last;
			command.validity = Math.max(0, this.settings.lease - command.age);
		}
	}

	/** The value of a ticket without waiters becomes a tombstone. */
	private void release(Packet command) {
		boolean exact = isExact(command)
				|| this.settings.has(Flaw.NATIVE_RELEASE_IGNORES_MARK) && this.store.owner == command.ticket
				|| this.settings.has(Flaw.NATIVE_RELEASE_UNCHECKED) && this.store.owner != 0;
		if (exact) {
			int first = this.store.lastToken - this.settings.tokensPerGrant + 1;
			int used = this.settings.has(Flaw.TOMBSTONE_RESTORED) ? first - 1 : command.used;
			this.store.bury(used, this.settings.tombstone);
			command.answer = Answer.RELEASED;
		}
	}

	private void renew(Packet command) {
		if (isExact(command)) {
			this.store.ttl = this.settings.lease;
			command.answer = Answer.RENEWED;
			command.validity = Math.max(0, this.settings.lease - command.age);
		}
	}

	private boolean isExact(Packet command) {
		return this.store.owner == command.ticket && this.store.lastToken == command.lastToken && !this.store.marked;
	}

}
