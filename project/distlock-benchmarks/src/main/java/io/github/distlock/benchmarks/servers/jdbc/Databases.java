package io.github.distlock.benchmarks.servers.jdbc;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.jvms.ChildJvm;
import io.github.distlock.benchmarks.servers.Server;

/**
 * Database servers that are started for a run.
 */
public final class Databases {

	/** The program of PostgreSQL is unpacked when it is first used on a machine. */
	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private Databases() {
	}

	/**
	 * Start PostgreSQL.
	 * @return the server, with the tables of all contenders but distlock, which makes its
	 * own
	 */
	public static Server postgresql() {
		ChildJvm keeper = ChildJvm.start(PostgresqlKeeper.class, ProcessBuilder.Redirect.INHERIT,
				List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"));
		return started(keeper, (console) -> new PostgresqlServer(console, keeper));
	}

	/**
	 * Start the server of H2.
	 * @return the server, with the tables of all contenders but distlock, which makes its
	 * own
	 */
	public static Server h2() {
		ChildJvm keeper = ChildJvm.start(H2Keeper.class, ProcessBuilder.Redirect.INHERIT, List.of("-Xmx256m"));
		return started(keeper, (console) -> new H2Server(console, keeper));
	}

	private static Server started(ChildJvm keeper, Opening opening) {
		try {
			List<String> parts = Arrays.asList(keeper.answer(PATIENCE).split("\\|", -1));
			SqlConsole console = new SqlConsole(new StoreAddress(Kind.JDBC, parts));
			PeerTables.create(console);
			return opening.open(console);
		}
		catch (RuntimeException ex) {
			keeper.close();
			throw ex;
		}
	}

	@FunctionalInterface
	private interface Opening {

		Server open(SqlConsole console);

	}

}
