package io.github.distlock.backend.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one ticket: its node, and what is on its way. A place is given up
 * once, and then all that may exist of it in ZooKeeper is deleted, however long that
 * takes.
 */
final class ZooKeeperTicket {

	final Ticket ticket;

	final String folder;

	/** Never held while something is sent or awaited. */
	final ReentrantLock lock = new ReentrantLock();

	/** Guarded by {@link #lock} for writing. */
	private volatile @Nullable TicketNode node;

	/** The creation of the node, from its sending. Guarded by {@link #lock}. */
	@Nullable CompletableFuture<TicketNode> arrival;

	/** Whether there may be nodes that we know nothing of. Guarded by {@link #lock}. */
	boolean doubtful;

	/** The deletion of the node. Guarded by {@link #lock}. */
	@Nullable CompletableFuture<Boolean> departure;

	/** Whether a deletion was sent whose answer is lost. */
	volatile boolean deletionSent;

	/** The node whose end is waited for. */
	volatile @Nullable String watching;

	/** Whether somebody wants it to wait in line. */
	volatile boolean queued;

	private volatile boolean held;

	private volatile boolean givenUp;

	ZooKeeperTicket(Ticket ticket, String folder) {
		this.ticket = ticket;
		this.folder = folder;
	}

	@Nullable TicketNode node() {
		return this.node;
	}

	/** Its node, if the session has made it. */
	@Nullable TicketNode nodeIn(ZooKeeperSession session) {
		TicketNode known = this.node;
		return (known != null && known.session() == session) ? known : null;
	}

	boolean isHeld() {
		return this.held;
	}

	boolean isGivenUp() {
		return this.givenUp;
	}

	/** Its node is the first; answers whether the lock is thereby held. */
	boolean hold() {
		this.lock.lock();
		try {
			this.held = !this.givenUp;
			return this.held;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** A node may come, without having been asked for by this place. */
	void expect(CompletableFuture<TicketNode> coming) {
		this.lock.lock();
		try {
			this.arrival = coming;
			this.doubtful = true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** What is held by a node of this place. Nobody follows a reader under its grant. */
	Grant grant(TicketNode by, int tokensPerGrant) {
		long first = by.firstToken();
		return new Grant(first, this.ticket.isReader() ? first : first + tokensPerGrant - 1,
				Validity.session(by.session()));
	}

	/** Answers whether the node is wanted. */
	boolean arrived(TicketNode created) {
		this.lock.lock();
		try {
			this.node = created;
			return !this.givenUp;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Its node is not there any more. */
	void missing(TicketNode gone) {
		this.lock.lock();
		try {
			if (this.node == gone) {
				this.node = null;
				this.held = false;
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	void giveUp() {
		this.lock.lock();
		try {
			this.givenUp = true;
		}
		finally {
			this.lock.unlock();
		}
	}

}
