package io.github.distlock.benchmarks.servers.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import io.github.distlock.benchmarks.contenders.RedisAddress;
import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.jvms.ChildJvm;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.servers.Deployment;
import io.github.distlock.benchmarks.servers.Server;
import io.github.distlock.benchmarks.servers.ServerCount;
import io.github.distlock.benchmarks.servers.ServerOptions;
import org.jspecify.annotations.Nullable;

/**
 * The Redis servers of one deployment: started for a run, or one that is there.
 */
public final class RedisServers implements Server {

	/**
	 * A replica has to synchronize, and masters of Redlock must be old enough to vote.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private static final String HOST = "127.0.0.1:";

	private final StoreAddress address;

	private final RedisWatch watch;

	private final @Nullable ChildJvm keeper;

	private RedisServers(StoreAddress address, List<RedisAddress> watched, @Nullable ChildJvm keeper) {
		this.address = address;
		this.keeper = keeper;
		this.watch = new RedisWatch(watched);
	}

	/**
	 * Start the servers of a deployment, or use one that is there.
	 * @param deployment what to start
	 * @param options a server that is there, or the program to start
	 * @return the servers, listening
	 */
	public static RedisServers open(Deployment deployment, ServerOptions options) {
		RedisAddress given = options.redis();
		if (given != null && deployment == Deployment.REDIS) {
			return new RedisServers(StoreAddress.of(deployment.kind(), given.toString()), List.of(given), null);
		}
		List<String> arguments = new ArrayList<>(List.of(deployment.name()));
		if (given != null && deployment == Deployment.DELAYED) {
			arguments.add(RedisKeeper.BEHIND + given);
		}
		else if (options.program() != null) {
			arguments.add(options.program().toString());
		}
		ChildJvm keeper = ChildJvm.start(RedisKeeper.class, ProcessBuilder.Redirect.INHERIT,
				List.of("-Xmx48m", "-XX:TieredStopAtLevel=1"), arguments.toArray(String[]::new));
		try {
			List<String> answer = Arrays.asList(keeper.answer(PATIENCE).split("\\|"));
			return switch (deployment) {
				// The proxy's clients are told its address; the server is watched
				// directly.
				case DELAYED -> started(deployment, keeper, List.of(answer.get(1)), answer.subList(0, 1));
				case TLS -> started(deployment, keeper, answer.subList(1, 3), answer.subList(0, 1));
				case REPLICA -> started(deployment, keeper, answer, answer.subList(0, 1));
				default -> started(deployment, keeper, answer, answer);
			};
		}
		catch (RuntimeException ex) {
			keeper.close();
			throw ex;
		}
	}

	private static RedisServers started(Deployment deployment, ChildJvm keeper, List<String> parts,
			List<String> watched) {
		return new RedisServers(new StoreAddress(deployment.kind(), parts),
				watched.stream().map(RedisAddress::parse).toList(), keeper);
	}

	static String at(int port) {
		return HOST + port;
	}

	@Override
	public StoreAddress address() {
		return this.address;
	}

	@Override
	public String version() {
		return this.watch.version();
	}

	/**
	 * Return how to look at the servers more closely.
	 * @return the watch
	 */
	public RedisWatch watch() {
		return this.watch;
	}

	@Override
	public ServerCount learn(LongSupplier slice) {
		CommandShares shares = this.watch.monitor(slice::getAsLong);
		return (timed) -> count(timed, shares);
	}

	private Map<Metric, Double> count(LongSupplier slice, CommandShares shares) {
		long[] operations = new long[1];
		RedisFigures figures = this.watch.during(() -> operations[0] = Math.max(1, slice.getAsLong()));
		double count = operations[0];
		double sent = shares.sentByClients(figures);
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		values.put(Metric.CLIENT_COMMANDS, sent / count);
		values.put(Metric.SCRIPT_COMMANDS, (figures.commands() - sent) / count);
		values.put(Metric.MESSAGES, figures.messages() / count);
		values.put(Metric.BYTES, figures.bytes() / count);
		values.put(Metric.SERVER_CPU, figures.cpuMicros() / count);
		return values;
	}

	@Override
	public void close() {
		this.watch.close();
		if (this.keeper != null) {
			this.keeper.close();
		}
	}

}
