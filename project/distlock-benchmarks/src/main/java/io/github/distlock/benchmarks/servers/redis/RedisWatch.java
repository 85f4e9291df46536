package io.github.distlock.benchmarks.servers.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.github.distlock.benchmarks.contenders.RedisAddress;

/**
 * Looks at what servers do. Counts are sums over all of them.
 */
public final class RedisWatch implements AutoCloseable {

	private final List<RedisAddress> addresses;

	private final List<RedisConsole> consoles = new ArrayList<>();

	/**
	 * Connect.
	 * @param addresses the servers
	 * @throws UncheckedIOException if one cannot be reached
	 */
	RedisWatch(List<RedisAddress> addresses) {
		this.addresses = addresses;
		addresses.forEach((address) -> this.consoles.add(new RedisConsole(address)));
	}

	/**
	 * Return what the servers do while something runs.
	 * @param action what runs
	 * @return the figures of that time
	 */
	public RedisFigures during(Runnable action) {
		RedisFigures first = look();
		RedisFigures before = look();
		action.run();
		RedisFigures after = look();
		return after.since(before, before.bytes() - first.bytes());
	}

	/**
	 * Learn who sends which commands while something runs. The servers are slower then.
	 * @param action what runs
	 * @return the shares
	 */
	public CommandShares monitor(Runnable action) {
		CommandShares shares = new CommandShares();
		String end = "end-of-" + System.nanoTime();
		List<RedisConsole> monitors = new ArrayList<>();
		try {
			List<CompletableFuture<Void>> reading = new ArrayList<>();
			for (RedisAddress address : this.addresses) {
				RedisConsole monitor = new RedisConsole(address);
				monitors.add(monitor);
				monitor.ask("MONITOR");
				reading.add(CompletableFuture.runAsync(() -> read(monitor, end, shares), RedisWatch::startDaemon));
			}
			action.run();
			this.consoles.forEach((console) -> console.ask("ECHO " + end));
			reading.forEach(CompletableFuture::join);
		}
		finally {
			monitors.forEach(RedisConsole::close);
		}
		return shares;
	}

	private static void read(RedisConsole monitor, String end, CommandShares shares) {
		for (String line = ""; !line.contains(end); line = monitor.readLine()) {
			shares.count(line);
		}
	}

	private static void startDaemon(Runnable task) {
		Thread thread = new Thread(task, "redis-monitor");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Return how many keys there are whose names hold a text.
	 * @param text the text, without blanks
	 * @return the count
	 */
	public long keys(String text) {
		String count = "EVAL \"return #redis.call('KEYS', ARGV[1])\" 0 *" + text + "*";
		return this.consoles.stream().mapToLong((console) -> Long.parseLong(console.ask(count))).sum();
	}

	String version() {
		Map<String, String> info = this.consoles.get(0)
			.ask("INFO server")
			.lines()
			.filter((line) -> line.contains(":"))
			.collect(Collectors.toMap((line) -> line.substring(0, line.indexOf(':')),
					(line) -> line.substring(line.indexOf(':') + 1).trim(), (one, two) -> one));
		String valkey = info.get("valkey_version");
		return (valkey != null) ? "Valkey " + valkey : "Redis " + info.getOrDefault("redis_version", "unknown");
	}

	private RedisFigures look() {
		return RedisFigures
			.sum(this.consoles.stream().map((console) -> RedisFigures.read(console.ask("INFO all"))).toList());
	}

	@Override
	public void close() {
		this.consoles.forEach(RedisConsole::close);
	}

}
