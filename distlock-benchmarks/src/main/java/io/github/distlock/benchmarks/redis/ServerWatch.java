package io.github.distlock.benchmarks.redis;

import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.benchmarks.contenders.RedisAddress;

/**
 * Looks at what a server does.
 */
public final class ServerWatch implements AutoCloseable {

	private final RedisAddress address;

	private final RedisConsole console;

	/**
	 * Connect.
	 * @param address the server
	 * @throws UncheckedIOException if it cannot be reached
	 */
	public ServerWatch(RedisAddress address) {
		this.address = address;
		this.console = new RedisConsole(address);
	}

	/**
	 * Return what a server does while something runs.
	 * @param action what runs
	 * @return the figures of that time
	 */
	public ServerFigures during(Runnable action) {
		ServerFigures first = look();
		ServerFigures before = look();
		action.run();
		ServerFigures after = look();
		return after.since(before, before.bytes() - first.bytes());
	}

	/**
	 * Learn who sends which commands while something runs. The server is slower then.
	 * @param action what runs
	 * @return the shares
	 */
	public CommandShares monitor(Runnable action) {
		CommandShares shares = new CommandShares();
		String end = "end-of-" + System.nanoTime();
		try (RedisConsole monitor = new RedisConsole(this.address)) {
			monitor.ask("MONITOR");
			CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> {
				for (String line = ""; !line.contains(end); line = monitor.readLine()) {
					shares.count(line);
				}
			}, (task) -> startDaemon(task));
			action.run();
			this.console.ask("ECHO " + end);
			reading.join();
		}
		return shares;
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
		return Long.parseLong(this.console.ask("EVAL \"return #redis.call('KEYS', ARGV[1])\" 0 *" + text + "*"));
	}

	/**
	 * Return the server's version.
	 * @return its version
	 */
	public String version() {
		return this.console.ask("INFO server")
			.lines()
			.filter((line) -> line.startsWith("redis_version:"))
			.map((line) -> line.substring("redis_version:".length()).trim())
			.findFirst()
			.orElse("unknown");
	}

	private ServerFigures look() {
		return ServerFigures.read(this.console.ask("INFO all"));
	}

	@Override
	public void close() {
		this.console.close();
	}

}
