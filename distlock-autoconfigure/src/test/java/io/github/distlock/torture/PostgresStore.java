package io.github.distlock.torture;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.github.distlock.testing.Signals;
import io.github.distlock.torture.check.HistoryWriter;
import io.github.distlock.torture.check.Kind;
import io.github.distlock.torture.worker.WorkerSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * The PostgreSQL server of a run, for the mode {@code lease}, whose rows are watched, or
 * for the mode {@code connection}.
 */
final class PostgresStore extends Store {

	/**
	 * The faults of workers and of connections, and a server that is stopped for a while.
	 * Not those of Redis alone (scripts, subscriptions, data that is lost).
	 */
	private static final Set<FaultKind> FAULTS = EnumSet.of(FaultKind.KILL_NORMAL, FaultKind.STALL,
			FaultKind.LOSE_REPLIES, FaultKind.CUT, FaultKind.REFUSE, FaultKind.SLOW, FaultKind.KILL_HOLDER,
			FaultKind.KILL_ACQUIRING, FaultKind.KILL_RELEASING, FaultKind.PAUSE_HOLDER, FaultKind.PAUSE_ACQUIRING,
			FaultKind.PAUSE_RELEASING, FaultKind.PAUSE_RENEWING);

	private static final Set<FaultKind> ENDING_SESSIONS = EnumSet.of(FaultKind.KILL_NORMAL, FaultKind.LOSE_REPLIES,
			FaultKind.CUT, FaultKind.REFUSE, FaultKind.KILL_HOLDER, FaultKind.KILL_ACQUIRING, FaultKind.KILL_RELEASING);

	private static final String NOW = "EXTRACT(EPOCH FROM clock_timestamp()) * 1000000";

	private static final String OWNER = "SELECT CASE WHEN expires_at > " + NOW
			+ " THEN owner ELSE '' END, fence FROM distlock_lock WHERE lock_key = convert_to(?, 'UTF8')";

	/** Without the notes of ended grants, whose keys begin with the byte 1. */
	private static final String HELD = "SELECT string_agg(convert_from(lock_key, 'UTF8'), ',') FROM distlock_lock"
			+ " WHERE owner <> '' AND expires_at > " + NOW + " AND get_byte(lock_key, 0) <> 1";

	private static final String LOCKED = "SELECT string_agg(application_name, ',') FROM pg_locks"
			+ " JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND objsubid = 1";

	private static final String TERMINATE = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
			+ " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";

	/** Whether locks are rows, which have an owner. */
	private final boolean rows;

	private final EmbeddedPostgres server;

	private final String url;

	PostgresStore(HistoryWriter history, int keys, boolean rows) throws IOException {
		super(history, keys, FAULTS);
		this.rows = rows;
		this.server = EmbeddedPostgres.builder()
			.setServerConfig("max_connections", "200")
			.setServerConfig("fsync", "off")
			.start();
		this.url = this.server.getJdbcUrl("postgres", "postgres");
		new ResourceDatabasePopulator(new ClassPathResource("io/github/distlock/backend/jdbc/schema-postgresql.sql"))
			.execute(new DriverManagerDataSource(this.url));
		history.write(Kind.POLLED, "store", "postgresql");
		if (rows) {
			watch(() -> DriverManager.getConnection(this.url), PostgresStore::owner);
		}
		else {
			history.write(Kind.ENDS_EARLY, "store", "postgresql");
		}
	}

	@Override
	int port() {
		return this.server.getPort();
	}

	@Override
	void inject(FaultKind kind, Random random) {
		switch (kind) {
			case KILL_NORMAL -> ask(TERMINATE);
			case STALL -> stallAll(random);
			default -> throw new IllegalArgumentException(kind.toString());
		}
	}

	/** Stop all processes of the server for a while, first the one that starts others. */
	private void stallAll(Random random) {
		long pid = Long.parseLong(ask("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"));
		Signals.send(pid, "STOP");
		Stream<ProcessHandle> others = ProcessHandle.of(pid).orElseThrow().children();
		stall(random, LongStream.concat(others.mapToLong(ProcessHandle::pid), LongStream.of(pid)).toArray());
	}

	/**
	 * An advisory lock is free as soon as its session has ended. The holder finds that
	 * out at its next check, up to a second later.
	 */
	@Override
	boolean forgets(FaultKind kind) {
		return !this.rows && ENDING_SESSIONS.contains(kind);
	}

	private String ask(String query) {
		try (Connection connection = DriverManager.getConnection(this.url);
				ResultSet rows = connection.createStatement().executeQuery(query)) {
			rows.next();
			return String.valueOf(rows.getString(1));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Owner owner(Connection connection, String key) throws SQLException {
		try (PreparedStatement query = connection.prepareStatement(OWNER)) {
			query.setString(1, "distlock:" + key);
			ResultSet rows = query.executeQuery();
			return rows.next() ? new Owner(rows.getString(1), rows.getLong(2)) : new Owner("", 0);
		}
	}

	@Override
	Duration longestLeftOver() {
		return Duration.ofMillis(WorkerSettings.LONGEST_LEASE_MILLIS).plusSeconds(5);
	}

	/** The locks that are held. Rows of free locks may remain. */
	@Override
	String leftOvers() {
		String held = ask(this.rows ? HELD : LOCKED);
		return held.equals("null") ? "none" : held;
	}

	@Override
	public void close() throws IOException {
		super.close();
		this.server.close();
	}

}
