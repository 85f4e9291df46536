package io.github.distlock.backend.zookeeper;

import java.util.List;

import io.github.distlock.LockMode;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a folder in the order of their creation, which is the queue of the lock.
 * Nodes that are not named like those of tickets are ignored.
 *
 * @param names the names that the server lists, in any order
 */
record NodeQueue(List<String> names) {

	/**
	 * The node that another node waits for: the one before it or, for a reader, the last
	 * writer before it. {@code null} if there is none.
	 */
	@Nullable String predecessor(String name) {
		int position = sequence(name);
		boolean reader = isReader(name);
		String predecessor = null;
		int nearest = Integer.MIN_VALUE;
		for (String other : this.names) {
			if (isTicketNode(other) && !isSameTicket(other, name) && !(reader && isReader(other))) {
				// The counter may overflow: only the difference counts.
				int distance = sequence(other) - position;
				if (distance < 0 && distance > nearest) {
					predecessor = other;
					nearest = distance;
				}
			}
		}
		return predecessor;
	}

	/** The nodes of all tickets, oldest first. */
	List<String> inOrder() {
		return this.names.stream()
			.filter(NodeQueue::isTicketNode)
			.sorted((one, other) -> sequence(one) - sequence(other))
			.toList();
	}

	/**
	 * The nodes that hold the lock: the first, and if it is a reader's, the next readers.
	 */
	List<String> holders() {
		List<String> nodes = inOrder();
		return (nodes.isEmpty() || isReader(nodes.get(0))) ? nodes.stream().takeWhile(NodeQueue::isReader).toList()
				: nodes.subList(0, 1);
	}

	/**
	 * What holds the lock, as far as names say; {@code null} if no ticket has a node.
	 */
	@Nullable StoredHolder firstHolder() {
		String first = null;
		for (String name : this.names) {
			if (isTicketNode(name) && (first == null || sequence(name) - sequence(first) < 0)) {
				first = name;
			}
		}
		return (first != null) ? new StoredHolder(instance(first), mode(first), null, null, 0) : null;
	}

	/** The instance whose ticket a node is. */
	static String instance(String name) {
		return name.substring(0, Math.max(0, name.lastIndexOf(':')));
	}

	/** The mode of the ticket whose node it is. */
	static LockMode mode(String name) {
		try {
			return Ticket.of("", token(name)).mode();
		}
		catch (IllegalArgumentException ex) {
			return LockMode.EXCLUSIVE;
		}
	}

	/** The name of the ticket whose node it is. */
	static String token(String name) {
		return name.substring(0, separator(name));
	}

	/** Other nodes of the same ticket, left by creations whose replies were lost. */
	List<String> duplicatesOf(String name) {
		return this.names.stream().filter((other) -> !other.equals(name) && isSameTicket(other, name)).toList();
	}

	/** All nodes of a ticket, oldest first. */
	List<String> nodesOf(String nodePrefix) {
		return this.names.stream()
			.filter((name) -> name.startsWith(nodePrefix) && isTicketNode(name))
			.sorted((one, other) -> sequence(one) - sequence(other))
			.toList();
	}

	private static boolean isSameTicket(String name, String other) {
		int length = separator(other) + 1;
		return separator(name) == length - 1 && name.regionMatches(0, other, 0, length);
	}

	private static boolean isReader(String name) {
		return Ticket.isReader(token(name));
	}

	private static boolean isTicketNode(String name) {
		int separator = separator(name);
		if (separator < 0) {
			return false;
		}
		try {
			sequence(name);
			return true;
		}
		catch (NumberFormatException ex) {
			return false;
		}
	}

	/** The instance may contain separators and colons, the rest of a token neither. */
	private static int separator(String name) {
		return name.indexOf(LockPaths.SEPARATOR, Math.max(0, name.lastIndexOf(':')));
	}

	/** The number of a ticket's node. */
	static int sequence(String name) {
		return Integer.parseInt(name.substring(separator(name) + 1));
	}

}
