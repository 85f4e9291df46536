package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code distlock_instance}: an entry for each instance, and a note for each
 * grant that an operator has ended. The id of a note is the ticket that held the lock. No
 * lock depends on this table: if it cannot be used, one warning says so, and it is not
 * used any more.
 */
final class InstanceTable {

	private static final Log logger = LogFactory.getLog(InstanceTable.class);

	private static final int MAX_TEXT = 255;

	private final JdbcExecutor executor;

	private final LockInstance self;

	private final String name;

	private final byte[] keyPrefix;

	private final long tokens;

	/** Whether the table is missing or not accessible. Never reset. */
	private volatile boolean off;

	/** Whether the table may contain rows that will expire. */
	private volatile boolean filled;

	/**
	 * Create the access to the table.
	 * @param tokens how many fencing tokens a grant of this instance covers
	 */
	InstanceTable(JdbcExecutor executor, LockInstance self, JdbcBackendSettings settings, long tokens) {
		this.executor = executor;
		this.self = self;
		this.name = settings.tables().instance();
		this.keyPrefix = settings.keyPrefix().getBytes(StandardCharsets.UTF_8);
		this.tokens = tokens;
		this.filled = self.isResolved();
	}

	/** Return the name of the table. */
	String name() {
		return this.name;
	}

	/** Return the instance that this store belongs to. */
	LockInstance self() {
		return this.self;
	}

	/** Return whether the table is missing or not accessible, as far as it is known. */
	boolean isOff() {
		return this.off;
	}

	/** Write or refresh the entry of this instance. */
	void announce() {
		Instant started = this.self.started();
		if (!this.self.isResolved() || started == null) {
			return;
		}
		this.filled = true;
		Map<String, Object> values = Map.of("id", this.self.id(), "prefix", this.keyPrefix, "application",
				text(this.self.application()), "host", text(this.self.host()), "pid",
				Objects.requireNonNullElse(this.self.pid(), 0L), "started", micros(started), "tokens", this.tokens);
		use(() -> this.executor.run(Kind.ATTEMPT, "entry of this instance", null,
				(connection, sent) -> connection.update("announce", values)), 0);
	}

	private static String text(@Nullable String value) {
		String text = (value != null) ? value : "";
		return (text.length() > MAX_TEXT) ? text.substring(0, MAX_TEXT) : text;
	}

	/** Remove the entry of this instance. */
	void withdraw() {
		if (this.self.isResolved()) {
			use(() -> this.executor.run(Kind.ATTEMPT, "removal of the entry of this instance", null,
					(connection, sent) -> connection.update("withdraw", Map.of("id", this.self.id()))), 0);
		}
	}

	/** Return the entries of the instances with the same prefix of keys. */
	List<InstanceEntry> entries() {
		List<InstanceEntry> entries = use(
				() -> this.executor.run(Kind.ATTEMPT, "list of instances", null, (connection, sent) -> connection.query(
						"instances", Map.of("prefix", this.keyPrefix),
						(row, number) -> new InstanceEntry(new LockInstance(row.getString(1), row.getString(2),
								row.getString(3), row.getLong(4), instant(row.getLong(5))), instant(row.getLong(6))))),
				List.of());
		this.filled |= !entries.isEmpty();
		return entries;
	}

	/**
	 * Return the entry of an instance, {@code null} if there is none or the table cannot
	 * be used.
	 */
	@Nullable Known find(String instance) {
		return first(use(() -> this.executor.run(Kind.ATTEMPT, "look-up of an instance", null,
				(connection, sent) -> query(connection, instance)), List.of()));
	}

	/** The same, inside of a command. */
	@Nullable Known find(LockConnection connection, String instance) {
		return first(query(connection, instance));
	}

	private static List<Known> query(LockConnection connection, String instance) {
		return connection.query("instance", Map.of("id", instance),
				(row, number) -> new Known(row.getLong(1), row.getInt(2) == 1));
	}

	private static @Nullable Known first(List<Known> found) {
		return found.isEmpty() ? null : found.get(0);
	}

	/**
	 * Note that an operator has ended a grant.
	 * @param until when the lease of the grant would have ended: its holder asks before
	 */
	void noteEnd(LockConnection connection, String ticket, long grantToken, long until) {
		this.filled = true;
		connection.update("noteEnd",
				Map.of("id", ticket, "prefix", this.keyPrefix, "grant", grantToken, "until", until));
	}

	/** Delete a note, since the grant could not be ended. */
	void forgetEnd(LockConnection connection, String ticket) {
		connection.update("withdraw", Map.of("id", ticket));
	}

	/** Signal which of the grants that are gone an operator has ended. */
	void signalEnded(List<Renewal> renewals, List<RenewalResult> results, LockSignals signals) {
		List<Ticket> gone = new ArrayList<>(0);
		for (int i = 0; i < results.size(); i++) {
			if (results.get(i) instanceof RenewalResult.Gone) {
				gone.add(renewals.get(i).ticket());
			}
		}
		signalEnded(gone, signals);
	}

	/**
	 * Signal which of some grants an operator has ended, in one command. Never fails: the
	 * note only explains a loss.
	 * @param gone the tickets that do not hold their locks any more
	 */
	void signalEnded(List<Ticket> gone, LockSignals signals) {
		if (gone.isEmpty()) {
			return;
		}
		Map<String, Long> ended = new HashMap<>();
		try {
			use(() -> this.executor.run(Kind.HOLDER, "look-up of ended grants", null, (connection, sent) -> {
				for (Ticket ticket : gone) {
					connection.query("ended", Map.of("id", ticket.token()),
							(row, number) -> ended.put(row.getString(1), row.getLong(2)));
				}
				return true;
			}), false);
		}
		catch (LockBackendException ex) {
			logger.debug("It is not known whether an operator has ended grants", ex);
		}
		for (Ticket ticket : gone) {
			Long grantToken = ended.get(ticket.token());
			if (grantToken != null) {
				signals.ended(ticket, grantToken);
			}
		}
	}

	/** Delete expired entries and notes. */
	void clean() {
		if (!this.filled || this.off) {
			return;
		}
		// Before the query: an entry that is written from now on sets the flag again.
		this.filled = false;
		boolean left = true;
		try {
			left = use(() -> this.executor.run(Kind.MAINTENANCE, "clean-up", null, (connection, sent) -> {
				connection.update("deleteExpired", Map.of());
				return !connection.query("anyInstance", Map.of(), (row, number) -> true).isEmpty();
			}), false);
		}
		finally {
			this.filled |= left;
		}
	}

	/** Run a command on the table, unless the table cannot be used. */
	<T> T use(Supplier<T> command, T otherwise) {
		if (this.off) {
			return otherwise;
		}
		try {
			return command.get();
		}
		catch (StoreUnusableException ex) {
			switchOff(ex);
			return otherwise;
		}
	}

	/** Do without the table from now on. */
	void switchOff(StoreUnusableException failure) {
		if (this.off) {
			return;
		}
		this.off = true;
		Throwable cause = failure.getCause();
		logger.warn("The table " + this.name + " cannot be used ("
				+ JdbcExceptionTranslator.describe((cause != null) ? cause : failure)
				+ "): locks are not affected, but messages and the endpoint cannot tell which JVM holds a lock of this"
				+ " one. Create the table with io/github/distlock/backend/jdbc/schema-<h2|postgresql|mysql|mariadb>.sql"
				+ " of the distlock jar, or set distlock.jdbc.initialize-schema=always; grant the user SELECT, INSERT,"
				+ " UPDATE and DELETE on it; and restart the application");
	}

	private static long micros(Instant instant) {
		return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
	}

	static Instant instant(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

	/**
	 * What another instance has written into the table.
	 *
	 * @param tokens how many fencing tokens its grants cover
	 * @param alive whether its entry has not expired
	 */
	record Known(long tokens, boolean alive) {
	}

}
