package io.github.distlock.waiting;

import org.jspecify.annotations.Nullable;

/**
 * The one command of a key that is on its way to the store. Guarded by the entry's lock.
 */
final class InFlight {

	private @Nullable Command command;

	boolean isEmpty() {
		return this.command == null;
	}

	void set(Command sent) {
		this.command = sent;
	}

	/**
	 * A command was settled. What is in flight now may be another one, if an error cut
	 * short an event.
	 * @return whether it was this one
	 */
	boolean end(Command settled) {
		if (this.command != settled) {
			return false;
		}
		this.command = null;
		return true;
	}

	/** The same for the command of an exit. */
	void end(Exit exit) {
		if (this.command instanceof Command.Leave leave && leave.exit() == exit) {
			this.command = null;
		}
	}

	/** The command that an error has lost, or {@code null}. */
	@Nullable Command lost() {
		Command sent = this.command;
		return (sent != null && sent.isLost()) ? sent : null;
	}

}
