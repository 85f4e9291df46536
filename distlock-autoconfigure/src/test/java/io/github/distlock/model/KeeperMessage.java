package io.github.distlock.model;

/**
 * A message about a kept lock.
 *
 * @param ticket the ticket of the JVM that receives it
 * @param requester a ticket to which a holder sends a refusal, or zero
 * @param refusal whether it says that a thread holds the lock; otherwise it asks for the
 * lock
 */
record KeeperMessage(int ticket, int requester, boolean refusal) {

	void write(StateWriter out) {
		out.ticket(this.ticket).ticket(this.requester).flag(this.refusal);
	}

	static KeeperMessage read(StateReader in) {
		return new KeeperMessage(in.number(), in.number(), in.flag());
	}

	@Override
	public String toString() {
		return (this.refusal ? "refusal of " : "request for ") + ModelTicket.text(this.ticket);
	}

}
