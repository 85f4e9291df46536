package io.github.distlock.benchmarks.servers.jdbc;

import java.util.Map;

import io.github.distlock.benchmarks.jvms.ChildJvm;
import io.github.distlock.benchmarks.report.Metric;

/**
 * A PostgreSQL server. Its extension counts statements in the slice that is watched,
 * since that costs time; transactions and the log are counted in each slice.
 * {@code pg_stat_database} does not serve: sessions report to it half a second late.
 */
final class PostgresqlServer extends DatabaseServer {

	private static final String STATEMENTS = "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query NOT LIKE '%pg\\_stat%'";

	/** Only a transaction that writes has a number. */
	private static final String WRITES = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint";

	private static final String LOG = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn";

	/**
	 * The parent of all sessions, which detaches itself from the process that starts it.
	 */
	private final long postmaster;

	PostgresqlServer(SqlConsole console, ChildJvm keeper) {
		super(console, keeper, Map.of(Metric.WRITES, WRITES, Metric.LOG_BYTES, LOG));
		console.run("CREATE EXTENSION pg_stat_statements");
		track("none");
		long session = (long) console.number("SELECT pg_backend_pid()");
		this.postmaster = ProcessHandle.of(session).flatMap(ProcessHandle::parent).map(ProcessHandle::pid).orElse(-1L);
	}

	@Override
	void countStatements(boolean count) {
		track(count ? "all" : "none");
	}

	@Override
	String statements() {
		return STATEMENTS;
	}

	@Override
	long pid() {
		return this.postmaster;
	}

	/** Blocks until the setting is in force, which sessions learn one after the other. */
	private void track(String which) {
		this.console.run("ALTER SYSTEM SET pg_stat_statements.track = '" + which + "'");
		this.console.run("SELECT pg_reload_conf()");
		String applied = "SELECT (current_setting('pg_stat_statements.track') = '" + which
				+ "')::int FROM pg_sleep(0.01)";
		for (int attempt = 0; this.console.number(applied) != 1; attempt++) {
			if (attempt == 500) {
				throw new IllegalStateException("PostgreSQL does not take over pg_stat_statements.track");
			}
		}
	}

}
