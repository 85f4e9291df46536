package io.github.distlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.LockMode;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a folder in the order of their creation, which is the queue of the lock.
 * Nodes that are not named like those of tickets are ignored.
 *
 * @param nodes the nodes, oldest first
 */
record NodeQueue(List<QueuedNode> nodes) {

	/**
	 * Sort nodes.
	 * @param names the names that the server lists, in any order
	 */
	static NodeQueue of(List<String> names) {
		List<QueuedNode> nodes = new ArrayList<>(names.size());
		for (String name : names) {
			try {
				nodes.add(new QueuedNode(name, ticket(name), mode(ticket(name)), number(name)));
			}
			catch (IllegalArgumentException ex) {
				// Not the node of a ticket.
			}
		}
		// The counter may overflow: only the difference counts.
		nodes.sort((one, other) -> one.number - other.number);
		return new NodeQueue(nodes);
	}

	/**
	 * The node that another node waits for: the one before it or, for a reader, the last
	 * writer before it. {@code null} if there is none.
	 */
	@Nullable String predecessor(String name) {
		boolean reader = mode(ticket(name)) == LockMode.READ;
		String predecessor = null;
		for (QueuedNode node : this.nodes) {
			if (node.name.equals(name)) {
				break;
			}
			if (!(reader && node.isReader())) {
				predecessor = node.name;
			}
		}
		return predecessor;
	}

	/**
	 * The nodes that hold the lock: the first, and if it is a reader's, the next readers.
	 */
	List<QueuedNode> holders() {
		return (this.nodes.isEmpty() || this.nodes.get(0).isReader())
				? this.nodes.stream().takeWhile(QueuedNode::isReader).toList() : this.nodes.subList(0, 1);
	}

	/**
	 * What holds the lock, as far as names say; {@code null} if no ticket has a node.
	 */
	@Nullable StoredHolder firstHolder() {
		return this.nodes.isEmpty() ? null
				: new StoredHolder(this.nodes.get(0).instance(), this.nodes.get(0).mode(), null, null, 0);
	}

	/** The names of all nodes of a ticket, oldest first. */
	List<String> nodesOf(Ticket ticket) {
		String token = ticket.token();
		return this.nodes.stream().filter((node) -> node.ticket.equals(token)).map(QueuedNode::name).toList();
	}

	/** The number that the folder gave to a node. */
	static int number(String name) {
		return Integer.parseInt(name.substring(ticket(name).length() + 1));
	}

	/** The instance may contain separators and colons, the rest of a ticket neither. */
	static String ticket(String name) {
		int separator = name.indexOf(LockPaths.SEPARATOR, Math.max(0, name.lastIndexOf(':')));
		if (separator < 0) {
			throw new IllegalArgumentException("Not the node of a ticket: " + name);
		}
		return name.substring(0, separator);
	}

	/** A ticket of a later version may have another mode. */
	static LockMode mode(String ticket) {
		try {
			return Ticket.of("", ticket).mode();
		}
		catch (IllegalArgumentException ex) {
			return LockMode.EXCLUSIVE;
		}
	}

	/**
	 * The node of a ticket.
	 *
	 * @param name the name of the node
	 * @param ticket the name of the ticket
	 * @param mode the mode of the ticket
	 * @param number the number that the folder gave to the node
	 */
	record QueuedNode(String name, String ticket, LockMode mode, int number) {

		boolean isReader() {
			return this.mode == LockMode.READ;
		}

		/** The instance whose ticket it is. */
		String instance() {
			return this.ticket.substring(0, Math.max(0, this.ticket.lastIndexOf(':')));
		}

	}

}
