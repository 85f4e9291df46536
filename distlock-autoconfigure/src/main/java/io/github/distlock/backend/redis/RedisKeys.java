package io.github.distlock.backend.redis;

import java.util.List;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.Ticket;

/**
 * The names of keys and channels in Redis. Different lock keys always have different
 * names. The lock key is the hash tag, so all data of a lock are in one slot; braces in
 * the lock key have no effect.
 */
final class RedisKeys {

	/**
	 * The format of the queue, as a part of its name. Raise it when the scripts of a
	 * released version could not read the queue, or could do so wrongly.
	 */
	private static final String QUEUE_FORMAT = "2";

	private final String prefix;

	private final String lockPrefix;

	private final String queuePrefix;

	private final String readersPrefix;

	private final String inboxPrefix;

	RedisKeys(String prefix) {
		if (prefix.indexOf('{') >= 0 || prefix.indexOf('}') >= 0) {
			throw new LockDefinitionException("The key prefix '" + prefix
					+ "' contains a brace, which would decide the cluster slot: choose a prefix without braces");
		}
		this.prefix = prefix;
		this.lockPrefix = prefix + "lock:{";
		this.queuePrefix = prefix + "queue:" + QUEUE_FORMAT + ":{";
		this.readersPrefix = prefix + "readers:{";
		this.inboxPrefix = prefix + "inbox:";
	}

	List<String> lockAndQueue(String key) {
		String tag = encode(key).concat("}");
		return List.of(this.lockPrefix.concat(tag), this.queuePrefix.concat(tag));
	}

	List<String> lockQueueAndReaders(String key) {
		String tag = encode(key) + "}";
		return List.of(this.lockPrefix + tag, this.queuePrefix + tag, this.readersPrefix + tag);
	}

	/**
	 * The keys that the scripts of a ticket access. The scripts of an exclusive ticket
	 * derive the name of the readers themselves, so that the most frequent commands stay
	 * short.
	 */
	List<String> of(Ticket ticket) {
		return (ticket.mode() == LockMode.EXCLUSIVE) ? lockAndQueue(ticket.key()) : lockQueueAndReaders(ticket.key());
	}

	/** The keys of a lock on a Redlock node, whose queue is a list. */
	List<String> nodeLockQueueAndFloor(String key) {
		String tag = encode(key) + "}";
		return List.of(this.lockPrefix + tag, this.prefix + "queue:{" + tag, this.prefix + "floor:{" + tag);
	}

	String lock(String key) {
		return this.lockPrefix + encode(key) + "}";
	}

	String readers(String key) {
		return this.readersPrefix + encode(key) + "}";
	}

	String prefix() {
		return this.prefix;
	}

	String inboxPrefix() {
		return this.inboxPrefix;
	}

	/**
	 * Return the lock key of the name of a lock.
	 */
	String keyOf(String lock) {
		return decode(lock.substring(this.lockPrefix.length(), lock.length() - 1));
	}

	private static String encode(String key) {
		if (key.indexOf('%') < 0 && key.indexOf('{') < 0 && key.indexOf('}') < 0) {
			return key;
		}
		return key.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
	}

	private static String decode(String tag) {
		return tag.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
	}

}
