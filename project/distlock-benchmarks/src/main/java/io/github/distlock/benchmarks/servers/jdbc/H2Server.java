package io.github.distlock.benchmarks.servers.jdbc;

import java.util.Map;

import io.github.distlock.benchmarks.jvms.ChildJvm;

/**
 * A server of H2.
 */
final class H2Server extends DatabaseServer {

	private static final String STATEMENTS = "SELECT coalesce(sum(execution_count), 0) FROM information_schema.query_statistics WHERE sql_statement NOT LIKE '%QUERY_STATISTICS%'";

	private final long pid;

	H2Server(SqlConsole console, ChildJvm keeper) {
		super(console, keeper, Map.of());
		this.pid = keeper.pid();
	}

	@Override
	void countStatements(boolean count) {
		this.console.run("SET QUERY_STATISTICS " + (count ? "TRUE" : "FALSE"));
	}

	@Override
	String statements() {
		return STATEMENTS;
	}

	@Override
	long pid() {
		return this.pid;
	}

}
