package io.github.distlock.torture;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.github.distlock.testing.RespConnection;

/**
 * Counts, on the server of the locks and by its clock, the bodies that are inside and
 * whose lease has not ended. It shares nothing with the library: a body says when it
 * enters, for how long it holds the lock at least, and when it leaves.
 */
final class PermitWitness implements AutoCloseable {

	private static final String INSIDE = "witness:inside";

	private static final String COUNTS = "witness:counts";

	/** Answers how many are inside, or 0 if the lease has ended on the way here. */
	private static final String ENTER = """
			local time = redis.call('TIME')
			local now = time[1] * 1000000 + time[2]
			if now >= tonumber(ARGV[2]) then
			  return 0
			end
			redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
			local count = redis.call('ZCOUNT', KEYS[1], '(' .. string.format('%.0f', now), '+inf')
			redis.call('HINCRBY', KEYS[2], count, 1)
			return count
			""";

	private final RespConnection connection;

	PermitWitness(int port) {
		this.connection = new RespConnection(port, Duration.ofMinutes(1));
	}

	/**
	 * The time of the server in microseconds: a lease that is measured later ends later.
	 */
	long micros() {
		List<?> time = (List<?>) Objects.requireNonNull(this.connection.ask("TIME"));
		return Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1));
	}

	long entered(String body, long endMicros) {
		return (Long) Objects
			.requireNonNull(this.connection.ask("EVAL", ENTER, "2", INSIDE, COUNTS, body, Long.toString(endMicros)));
	}

	void leaving(String body) {
		this.connection.ask("ZREM", INSIDE, body);
	}

	/** How often how many were inside, when one entered. */
	int[] counts(int most) {
		int[] counts = new int[most + 1];
		for (int i = 0; i <= most; i++) {
			Object count = this.connection.ask("HGET", COUNTS, Integer.toString(i));
			counts[i] = (count != null) ? Integer.parseInt((String) count) : 0;
		}
		return counts;
	}

	@Override
	public void close() {
		this.connection.close();
	}

}
