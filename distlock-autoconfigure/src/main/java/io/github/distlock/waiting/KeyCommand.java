package io.github.distlock.waiting;

import org.jspecify.annotations.Nullable;

/**
 * The one command of a key that is on its way to the store. Part of {@link KeyQueue}, so
 * that a held lock takes little memory, and guarded as that is.
 */
abstract class KeyCommand {

	private @Nullable Command inFlight;

	final boolean isSettled() {
		return this.inFlight == null;
	}

	final void sending(Command sent) {
		this.inFlight = sent;
	}

	/**
	 * A command was settled. What is in flight now may be another one, if an error cut
	 * short an event.
	 * @return whether it was this one
	 */
	final boolean settled(Command settled) {
		if (this.inFlight != settled) {
			return false;
		}
		this.inFlight = null;
		return true;
	}

	/** The same for the command of a pending release. */
	final void settled(PendingRelease pending) {
		if (this.inFlight instanceof Command.Release release && release.pending() == pending) {
			this.inFlight = null;
		}
	}

	/** The command that an error has lost, or {@code null}. */
	final @Nullable Command lost() {
		Command sent = this.inFlight;
		return (sent != null && sent.isLost()) ? sent : null;
	}

}
