package io.github.distlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;

import io.github.distlock.backend.Ticket;

/**
 * Where locks are in ZooKeeper: one folder for each key, named by the key's UTF-8 bytes,
 * and in it one node for each ticket, named by the ticket.
 */
final class LockPaths {

	private static final String HEX = "0123456789ABCDEF";

	/** Between the ticket and the number that the server adds. */
	static final char SEPARATOR = '-';

	private final String root;

	LockPaths(String root) {
		this.root = root;
	}

	/** The folder of a key. Two keys never share one. */
	String folder(String key) {
		return this.root + "/" + encode(key);
	}

	/** What the node of a ticket is called, without the number that the server adds. */
	static String nodePrefix(Ticket ticket) {
		return ticket.token() + SEPARATOR;
	}

	/** A node for trials, beside the folders: no key is encoded like this. */
	String probe(String instance) {
		return this.root + "/%probe-" + instance;
	}

	/**
	 * Letters, digits, hyphens and underscores stay; all other bytes are written as a
	 * percent sign and two digits. So no name is empty, a dot or two, or has a character
	 * that ZooKeeper refuses, and it is three times as long as the key at most.
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
