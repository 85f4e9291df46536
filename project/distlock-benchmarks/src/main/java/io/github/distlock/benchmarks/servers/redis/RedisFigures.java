package io.github.distlock.benchmarks.servers.redis;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a server has done, or did between two looks.
 *
 * @param calls how often each command ran, inside scripts too
 * @param bytes what went over the network, both ways
 * @param cpuMicros processor time
 */
public record RedisFigures(Map<String, Long> calls, long bytes, double cpuMicros) {

	/**
	 * Commands that no lock sends: those of the benchmark, and those that keep
	 * connections alive.
	 */
	private static final String NOISE = "info|ping|hello|client.*|monitor|dbsize|config.*|select|command.*|echo|script.*|replconf|psync";

	/**
	 * Read the server's own report.
	 * @param info the reply to INFO
	 * @return what it has done since it was started
	 */
	static RedisFigures read(String info) {
		Map<String, Long> calls = new TreeMap<>();
		long bytes = 0;
		double cpu = 0;
		for (String line : info.split("\r\n")) {
			int colon = line.indexOf(':');
			if (colon < 0) {
				continue;
			}
			String name = line.substring(0, colon);
			String value = line.substring(colon + 1);
			if (name.startsWith("cmdstat_")) {
				calls.put(name.substring("cmdstat_".length()),
						Long.parseLong(value.replaceAll("calls=(\\d+),.*", "$1")));
			}
			else if (name.equals("total_net_input_bytes") || name.equals("total_net_output_bytes")) {
				bytes += Long.parseLong(value);
			}
			else if (name.equals("used_cpu_user") || name.equals("used_cpu_sys")) {
				cpu += Double.parseDouble(value) * 1_000_000;
			}
		}
		return new RedisFigures(calls, bytes, cpu);
	}

	static RedisFigures sum(List<RedisFigures> servers) {
		Map<String, Long> calls = new TreeMap<>();
		servers.forEach((server) -> server.calls().forEach((command, count) -> calls.merge(command, count, Long::sum)));
		return new RedisFigures(calls, servers.stream().mapToLong(RedisFigures::bytes).sum(),
				servers.stream().mapToDouble(RedisFigures::cpuMicros).sum());
	}

	/**
	 * Return what was done since an earlier look.
	 * @param before the earlier look
	 * @param lookBytes what the look itself cost
	 * @return the difference, without commands that belong to no lock
	 */
	RedisFigures since(RedisFigures before, long lookBytes) {
		Map<String, Long> difference = new TreeMap<>();
		this.calls.forEach((command, count) -> {
			long calls = count - before.calls.getOrDefault(command, 0L);
			if (calls > 0 && !command.matches(NOISE)) {
				difference.put(command, calls);
			}
		});
		return new RedisFigures(difference, Math.max(0, this.bytes - before.bytes - lookBytes),
				this.cpuMicros - before.cpuMicros);
	}

	/**
	 * Return how many commands there were in all.
	 * @return those of clients and those inside of scripts
	 */
	public long commands() {
		return this.calls.values().stream().mapToLong(Long::longValue).sum();
	}

	/**
	 * Return how many messages were published.
	 * @return the count
	 */
	public long messages() {
		return this.calls.getOrDefault("publish", 0L) + this.calls.getOrDefault("spublish", 0L);
	}

}
