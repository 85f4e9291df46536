package io.github.distlock.benchmarks.servers.redis;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Which part of the calls of each command clients send themselves; scripts run the rest.
 * The server's counters do not tell the two apart, but its monitor does, so the shares
 * are learned from a slice that is monitored and not timed.
 */
public final class CommandShares {

	private final Map<String, AtomicLongArray> seen = new ConcurrentHashMap<>();

	/**
	 * Count a line of the monitor.
	 * @param line such as {@code 1700000000.1 [0 lua] "set" "key"}
	 */
	void count(String line) {
		int bracket = line.indexOf(']');
		int start = line.indexOf('"', bracket) + 1;
		int end = line.indexOf('"', start);
		if (bracket < 0 || start <= 0 || end < 0) {
			return;
		}
		String command = line.substring(start, end).toLowerCase(Locale.ROOT);
		boolean script = line.substring(0, bracket).endsWith("lua");
		this.seen.computeIfAbsent(command, (name) -> new AtomicLongArray(2)).incrementAndGet(script ? 1 : 0);
	}

	/**
	 * Return how many commands clients sent.
	 * @param figures what the server counted
	 * @return the count; what was not seen by the monitor counts as a client's
	 */
	public double sentByClients(RedisFigures figures) {
		double sent = 0;
		for (Map.Entry<String, Long> call : figures.calls().entrySet()) {
			AtomicLongArray seen = this.seen.get(call.getKey());
			sent += (seen != null) ? call.getValue() * (double) seen.get(0) / (seen.get(0) + seen.get(1))
					: call.getValue();
		}
		return sent;
	}

}
