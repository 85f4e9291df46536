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

	KeeperMessage pass(StateForm form) {
		return new KeeperMessage(form.ticket(this.ticket), form.ticket(this.requester), form.flag(this.refusal));
	}

	@Override
	public String toString() {
		return (this.refusal ? "refusal of " : "request for ") + ModelTicket.text(this.ticket);
	}

}
