package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.backend.Ticket;

/**
 * The invariants of base.lua about the keys of a lock between two scripts.
 */
final class ScriptInvariants {

	private static final String SNAPSHOT = """
			return { redis.call('GET', KEYS[1]) or '', redis.call('PTTL', KEYS[1]),
			  redis.call('ZRANGEBYSCORE', KEYS[2], 0, '(1e12'), redis.call('PTTL', KEYS[2]),
			  redis.call('ZCARD', KEYS[3]), redis.call('PTTL', KEYS[3]),
			  redis.call('ZCOUNT', KEYS[2], '1e12', '1e13') }
			""";

	/** A key without a TTL. */
	private static final long FOREVER = -1;

	private ScriptInvariants() {
	}

	/**
	 * Look once.
	 * @param portions whether readers may be at the head still after a script
	 */
	static List<String> violations(UnreliableScripts scripts, List<String> keys, boolean portions) {
		Snapshot now = snapshot(scripts, keys);
		List<String> found = new ArrayList<>();
		if (now.lockTtl == FOREVER || now.queueTtl == FOREVER || now.readersTtl == FOREVER) {
			found.add("a key has no TTL");
		}
		if ((now.word.startsWith("-") || now.word.startsWith("|")) && !now.queue.isEmpty()) {
			found.add("tickets wait for a lock that says that none does");
		}
		String owner = now.word.replaceFirst("^[-+*]([^|]*).*", "$1");
		if (now.queue.contains(owner)) {
			found.add("the ticket that owns the lock is in the queue");
		}
		if (now.word.startsWith("~") && !now.queue.isEmpty() && now.queue.get(0).startsWith("!")) {
			found.add("a claim is before the tickets that wait for readers");
		}
		if (isReaders(owner) && now.queue.stream().anyMatch(ScriptInvariants::isReaders)) {
			found.add("a reader waits while another one owns the lock");
		}
		if (!portions && now.word.startsWith("~") && !now.queue.isEmpty()
				&& Ticket.of("", now.queue.get(0)).mayJoin((int) now.readers / 2)) {
			found.add("a ticket stands first in the queue that may join those that hold");
		}
		if (now.notes != now.queue.stream().filter((member) -> !member.startsWith("!")).count()) {
			found.add("tickets without a note, or notes without a ticket: " + now.notes);
		}
		return found.stream().map((what) -> "INVARIANT: " + what + ": " + now).toList();
	}

	private static boolean isReaders(String token) {
		return token.contains(":FR") || token.contains(":F0");
	}

	/** Whether nothing is left but a tombstone, which ends by itself. */
	static boolean isClean(UnreliableScripts scripts, List<String> keys) {
		Snapshot now = snapshot(scripts, keys);
		return now.word.startsWith("|") && now.lockTtl > 0 && now.lockTtl < 11_000 && now.queue.isEmpty()
				&& now.readers == 0;
	}

	static Snapshot snapshot(UnreliableScripts scripts, List<String> keys) {
		List<?> all = (List<?>) scripts.look(SNAPSHOT, keys);
		return new Snapshot((String) all.get(0), (Long) all.get(1),
				((List<?>) all.get(2)).stream().map(String.class::cast).toList(), (Long) all.get(3), (Long) all.get(4),
				(Long) all.get(5), (Long) all.get(6));
	}

	/** The keys of a lock in one moment. */
	record Snapshot(String word, long lockTtl, List<String> queue, long queueTtl, long readers, long readersTtl,
			long notes) {
	}

}
