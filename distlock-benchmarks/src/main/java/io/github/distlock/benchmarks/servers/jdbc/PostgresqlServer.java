package io.github.distlock.benchmarks.servers.jdbc;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;

import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.jvms.ChildJvm;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.servers.ProcessorTime;
import io.github.distlock.benchmarks.servers.Server;
import io.github.distlock.benchmarks.servers.ServerCount;

/**
 * A PostgreSQL server. Its extension counts statements in the slice that is watched,
 * since that costs time; transactions and the log are counted in each slice.
 * {@code pg_stat_database} does not serve: sessions report to it half a second late.
 */
final class PostgresqlServer implements Server {

	private static final String STATEMENTS = "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query NOT LIKE '%pg\\_stat%'";

	/** Only a transaction that writes has a number. */
	private static final String WRITES = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint";

	private static final String LOG = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn";

	private final SqlConsole console;

	private final ChildJvm keeper;

	/**
	 * The parent of all sessions, which detaches itself from the process that starts it.
	 */
	private final long postmaster;

	PostgresqlServer(SqlConsole console, ChildJvm keeper) {
		this.console = console;
		this.keeper = keeper;
		console.run("CREATE EXTENSION pg_stat_statements");
		track("none");
		long session = (long) console.number("SELECT pg_backend_pid()");
		this.postmaster = ProcessHandle.of(session).flatMap(ProcessHandle::parent).map(ProcessHandle::pid).orElse(-1L);
	}

	@Override
	public StoreAddress address() {
		return this.console.address();
	}

	@Override
	public String version() {
		return this.console.product();
	}

	@Override
	public ServerCount learn(LongSupplier slice) {
		track("all");
		double before = this.console.number(STATEMENTS);
		double operations = Math.max(1, slice.getAsLong());
		double statements = (this.console.number(STATEMENTS) - before) / operations;
		track("none");
		return (timed) -> count(timed, statements);
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

	private Map<Metric, Double> count(LongSupplier slice, double statements) {
		double cpu = ProcessorTime.micros(this.postmaster);
		double writes = this.console.number(WRITES);
		double log = this.console.number(LOG);
		double operations = Math.max(1, slice.getAsLong());
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		values.put(Metric.STATEMENTS, statements);
		values.put(Metric.WRITES, (this.console.number(WRITES) - writes) / operations);
		values.put(Metric.LOG_BYTES, (this.console.number(LOG) - log) / operations);
		values.put(Metric.SERVER_CPU, (ProcessorTime.micros(this.postmaster) - cpu) / operations);
		return values;
	}

	@Override
	public void close() {
		this.console.close();
		this.keeper.close();
	}

}
