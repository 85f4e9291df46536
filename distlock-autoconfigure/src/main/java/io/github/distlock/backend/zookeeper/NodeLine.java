package io.github.distlock.backend.zookeeper;

import java.util.List;

import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a folder, in the order in which they were created. What somebody else has
 * put there is passed over.
 *
 * @param names what the server lists, in no order
 */
record NodeLine(List<String> names) {

	/**
	 * Which node another one waits for: the one before it, or of a reader the last writer
	 * before it; {@code null} if there is none.
	 */
	@Nullable String before(String own) {
		int position = sequence(own);
		boolean reader = isReader(own);
		String before = null;
		int distance = Integer.MIN_VALUE;
		for (String name : this.names) {
			if (isTicket(name) && !sameTicket(name, own) && !(reader && isReader(name))) {
				// The server's counter is an int, and begins again when it overflows.
				int ahead = sequence(name) - position;
				if (ahead < 0 && ahead > distance) {
					before = name;
					distance = ahead;
				}
			}
		}
		return before;
	}

	/** Other nodes of the same ticket: left over from creations without an answer. */
	List<String> doublesOf(String own) {
		return this.names.stream().filter((name) -> !name.equals(own) && sameTicket(name, own)).toList();
	}

	/** All nodes of a ticket, the oldest first. */
	List<String> of(String nodePrefix) {
		return this.names.stream()
			.filter((name) -> name.startsWith(nodePrefix) && isTicket(name))
			.sorted((one, other) -> sequence(one) - sequence(other))
			.toList();
	}

	private static boolean sameTicket(String name, String other) {
		int length = separator(other) + 1;
		return separator(name) == length - 1 && name.regionMatches(0, other, 0, length);
	}

	private static boolean isReader(String name) {
		return Ticket.isReader(name.substring(0, separator(name)));
	}

	private static boolean isTicket(String name) {
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

	/** The instance may have hyphens, the ticket's number has none. */
	private static int separator(String name) {
		return name.indexOf(LockPaths.SEPARATOR, Math.max(0, name.indexOf(':')));
	}

	private static int sequence(String name) {
		return Integer.parseInt(name.substring(separator(name) + 1));
	}

}
