package io.github.distlock.backend.redis;

import java.util.List;
import java.util.Set;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The queue of a lock as the server keeps it, see base.lua.
 */
record QueueKey(StringRedisTemplate template, String key) {

	private static final double NOTES = 1e12;

	private static final double INSTANCES = 1e13;

	/** Tokens of the tickets, oldest first; before them a claim. */
	List<String> tokens() {
		Set<String> tokens = this.template.opsForZSet().rangeByScore(this.key, 0, NOTES - 1);
		return List.copyOf(tokens);
	}

	/** How a ticket is queued: token, grace, tokens per grant, and T if it is counted. */
	String entry(String token) {
		long note = (long) (this.template.opsForZSet().score(this.key, "#" + token) - NOTES);
		return token + "|" + note % 20_000 / 2 + "|" + note / 20_000 + "|" + ((note % 2 == 1) ? "T" : "S");
	}

	/** Queue a ticket behind the others, without a script. */
	void add(String token, int grace, int tokens, boolean counted) {
		this.template.opsForZSet().add(this.key, "#" + token, NOTES + 20_000L * tokens + 2 * grace + (counted ? 1 : 0));
		this.template.opsForZSet().add(this.key, token, tokens().size() + 1.0);
	}

	/** Take a ticket out, without a script. */
	void remove(String token) {
		this.template.opsForZSet().remove(this.key, token, "#" + token);
	}

	/** Until when the uncounted tickets of an instance count as alive. */
	void seenUntil(String instance, long millis) {
		this.template.opsForZSet().add(this.key, "@" + instance, INSTANCES + millis);
	}

}
