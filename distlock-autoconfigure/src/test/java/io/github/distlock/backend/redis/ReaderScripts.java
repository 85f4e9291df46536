package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A real server, and the scripts as readers and writers of one key call them.
 */
abstract class ReaderScripts extends ScriptServer {

	static final String READERS = KEYS.get(2);

	/** Readers have an R before the number of their token, or a limit. */
	static Reply attempt(String token, int lease, String mark) {
		String how = token.contains(":FR") || token.contains(":F0") ? mark : mark + 1;
		return Reply.parse(template.execute(Scripts.ATTEMPT, KEYS, token, Integer.toString(lease), how));
	}

	static Reply attempt(String token) {
		return attempt(token, 30_000, "S");
	}

	static Reply release(String token, long used, Object... next) {
		List<Object> args = new ArrayList<>(List.of(token, Long.toString(used)));
		args.addAll(List.of(next));
		return Reply.parse(template.execute(Scripts.RELEASE, KEYS, args.toArray()));
	}

	static String cancel(String token) {
		return template.execute(Scripts.CANCEL, KEYS, token);
	}

	static long renew(String token, long first, int lease) {
		return Long.parseLong(template.execute(Scripts.READ_RENEW, List.of(LOCK, READERS), token, Long.toString(first),
				Integer.toString(lease)));
	}

	static long ttl() {
		return template.getExpire(LOCK, TimeUnit.MILLISECONDS);
	}

	/** The readers that hold the lock, in the order in which their leases end. */
	static List<String> readers() {
		String word = word();
		if (word == null || !word.startsWith("~")) {
			return Pattern.compile("[-+](.*:F[R0].*?)[|].*")
				.matcher((word != null) ? word : "")
				.results()
				.map((owner) -> owner.group(1))
				.toList();
		}
		Set<String> names = template.opsForZSet().rangeByScore(READERS, 0, 1e14);
		return List.copyOf(names);
	}

	static List<String> queue() {
		return queueKey().tokens();
	}

	static long published() {
		return server.process().calls("publish");
	}

}
