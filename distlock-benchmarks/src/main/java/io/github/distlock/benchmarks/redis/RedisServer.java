package io.github.distlock.benchmarks.redis;

import java.time.Duration;
import java.util.List;

import io.github.distlock.benchmarks.ChildJvm;
import io.github.distlock.benchmarks.contenders.RedisAddress;
import org.jspecify.annotations.Nullable;

/**
 * The server of a run: one that is started for it, or one that is there.
 */
public final class RedisServer implements AutoCloseable {

	private final RedisAddress address;

	private final @Nullable ChildJvm keeper;

	private RedisServer(RedisAddress address, @Nullable ChildJvm keeper) {
		this.address = address;
		this.keeper = keeper;
	}

	/**
	 * Start a server, or use one.
	 * @param given the server to use; {@code null} to start one
	 * @return the server, listening
	 */
	public static RedisServer open(@Nullable RedisAddress given) {
		if (given != null) {
			return new RedisServer(given, null);
		}
		ChildJvm keeper = ChildJvm.start(RedisKeeper.class, ProcessBuilder.Redirect.INHERIT,
				List.of("-Xmx32m", "-XX:TieredStopAtLevel=1"));
		int port = Integer.parseInt(keeper.answer(Duration.ofSeconds(30)));
		return new RedisServer(new RedisAddress("127.0.0.1", port), keeper);
	}

	/**
	 * Return where it is.
	 * @return its address
	 */
	public RedisAddress address() {
		return this.address;
	}

	@Override
	public void close() {
		if (this.keeper != null) {
			this.keeper.close();
		}
	}

}
