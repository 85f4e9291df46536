package io.github.distlock.backend.zookeeper;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

import io.github.distlock.backend.Ticket;

/**
 * The paths of locks in ZooKeeper: a folder for each key, named by the key's UTF-8 bytes,
 * with a node for each ticket, named by the ticket. Other nodes below the root begin with
 * a percent sign and a lower-case letter, as the name of no folder does.
 *
 * @param root the node below which everything is kept
 */
record LockPaths(String root) {

	/** Separates the ticket from the sequence number that the server appends. */
	static final char SEPARATOR = '-';

	/**
	 * The folder of a key. Two keys never share one. ASCII letters, digits, hyphens and
	 * underscores stay; each other byte becomes a percent sign and two hexadecimal
	 * digits. So a name is never {@code .} or {@code ..}, has no character that ZooKeeper
	 * rejects, and is at most three times as long as the key.
	 */
	String folder(String key) {
		String name = URLEncoder.encode(key, StandardCharsets.UTF_8);
		return this.root + "/" + name.replace("+", "%20").replace(".", "%2E").replace("*", "%2A");
	}

	/** The name of a ticket's node without the sequence number. */
	static String nodePrefix(Ticket ticket) {
		return ticket.token() + SEPARATOR;
	}

}
