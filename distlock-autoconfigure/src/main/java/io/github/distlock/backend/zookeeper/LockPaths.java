package io.github.distlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;

import io.github.distlock.backend.Ticket;

/**
 * The paths of locks in ZooKeeper: a folder for each key, named by the key's UTF-8 bytes,
 * with a node for each ticket, named by the ticket. Other nodes below the root begin with
 * a percent sign and a lower-case letter, as the name of no folder does.
 */
final class LockPaths {

	private static final String HEX = "0123456789ABCDEF";

	/** Separates the ticket from the sequence number that the server appends. */
	static final char SEPARATOR = '-';

	private final String root;

	LockPaths(String root) {
		this.root = root;
	}

	/** The node below which everything is kept. */
	String root() {
		return this.root;
	}

	/** The folder of a key. Two keys never share one. */
	String folder(String key) {
		return this.root + "/" + encode(key);
	}

	/** The name of a ticket's node without the sequence number. */
	static String nodePrefix(Ticket ticket) {
		return ticket.token() + SEPARATOR;
	}

	/** The path of a node for checks of the store. No key is encoded like this. */
	String probe(String suffix) {
		return this.root + "/%probe-" + suffix;
	}

	/**
	 * ASCII letters, digits, hyphens and underscores stay; each other byte becomes a
	 * percent sign and two hexadecimal digits. So a name is never {@code .} or
	 * {@code ..}, has no character that ZooKeeper rejects, and is at most three times as
	 * long as the key.
	 */
	private static String encode(String key) {
		StringBuilder name = new StringBuilder(key.length() + 16);
		for (byte each : key.getBytes(StandardCharsets.UTF_8)) {
			if (isPlain(each)) {
				name.append((char) each);
			}
			else {
				name.append('%').append(HEX.charAt((each >> 4) & 0xF)).append(HEX.charAt(each & 0xF));
			}
		}
		return name.toString();
	}

	private static boolean isPlain(byte each) {
		return each >= 'a' && each <= 'z' || each >= 'A' && each <= 'Z' || each >= '0' && each <= '9' || each == '-'
				|| each == '_';
	}

}
