package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.UnsupportedStoreOperationException;
import io.github.distlock.backend.jdbc.InstanceTable.Known;
import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import io.github.distlock.backend.jdbc.LockTable.LeaseRow;
import io.github.distlock.backend.jdbc.LockTable.OwnedRow;
import org.jspecify.annotations.Nullable;

/**
 * What operators and messages need of a database, for locks of the mode {@code lease}.
 * Commands that only read use connections like attempts do.
 */
class JdbcAdministration implements StoreAdministration {

	/** Limit of one sweep. */
	private static final Duration SWEEP_TIME = Duration.ofSeconds(5);

	/** The limit of the statement {@code heldBy}. */
	private static final int SWEEP_ROWS = 100;

	private static final SweepStep ALIVE = new SweepStep(true, 0, 0);

	private static final SweepStep UNKNOWN = new SweepStep(true, 0, 0);

	final JdbcResources resources;

	private final TimeSource clock;

	private volatile boolean tableChecked;

	JdbcAdministration(JdbcResources resources, TimeSource clock) {
		this.resources = resources;
		this.clock = clock;
	}

	@Override
	public String location() {
		return this.resources.pool().location() + ", table '" + this.resources.table().name() + "', prefix '"
				+ this.resources.table().keyPrefix() + "'";
	}

	@Override
	public void ping() {
		this.resources.executor()
			.run(Kind.ATTEMPT, "ping", null,
					(connection, sent) -> connection.query("ping", Map.of(), (row, number) -> row.getInt(1)));
	}

	@Override
	public void announce() {
		if (!this.tableChecked) {
			this.resources.checkTable();
			this.tableChecked = true;
		}
		this.resources.instances().announce();
	}

	@Override
	public void withdraw() {
		this.resources.instances().withdraw();
	}

	@Override
	public List<InstanceEntry> instances() {
		return this.resources.instances().entries();
	}

	@Override
	public StoredLock inspect(String key) {
		LeaseRow row = read(key);
		StoredHolder holder = holder(row);
		return new StoredLock(key, (holder != null) ? List.of(holder) : List.of(), List.of());
	}

	private LeaseRow read(String key) {
		return this.resources.executor()
			.run(Kind.ATTEMPT, "inspection", key,
					(connection, sent) -> this.resources.table().read(connection, sent, key));
	}

	/** Other instances may have been configured with another number of tokens. */
	private @Nullable StoredHolder holder(LeaseRow row) {
		if (!row.isHeld()) {
			return null;
		}
		Known known = this.resources.instances().find(row.instance());
		return row.holder((known != null) ? known.tokens() : this.resources.table().tokens());
	}

	@Override
	public EndResult end(String key, long grantToken) {
		LeaseRow row = read(key);
		StoredHolder holder = holder(row);
		if (holder == null) {
			return EndResult.NOT_HELD;
		}
		if (holder.grantToken() != grantToken) {
			return EndResult.CHANGED;
		}
		if (withNote((note) -> end(key, row, grantToken, note))) {
			return EndResult.ENDED;
		}
		return read(key).isHeld() ? EndResult.CHANGED : EndResult.NOT_HELD;
	}

	private boolean end(String key, LeaseRow row, long grantToken, boolean note) {
		LockTable table = this.resources.table();
		return this.resources.executor()
			.run(Kind.HOLDER, "end of the grant", key, (connection, sent) -> connection.inTransaction(() -> {
				boolean ended = table.end(connection, table.key(key), row.owner(), row.fence());
				if (ended && note) {
					this.resources.instances().noteEnd(connection, row.owner(), grantToken, row.endMicros());
				}
				return ended;
			}));
	}

	/**
	 * Run a command that writes notes, and without them if the table of the notes cannot
	 * be used.
	 */
	private boolean withNote(NoteWriter command) {
		InstanceTable instances = this.resources.instances();
		if (!instances.isOff()) {
			try {
				return command.run(true);
			}
			catch (StoreUnusableException ex) {
				instances.switchOff(ex);
			}
		}
		return command.run(false);
	}

	@Override
	public SweepResult endAll(String instance) {
		InstanceTable instances = this.resources.instances();
		if (instance.equals(instances.self().id())) {
			return SweepResult.ALIVE;
		}
		long begin = this.clock.nanoTime();
		int released = 0;
		do {
			SweepStep step = instances.use(() -> sweep(instance), UNKNOWN);
			if (step == UNKNOWN) {
				throw new UnsupportedStoreOperationException(
						"It is not known whether the instance '" + instance + "' is dead, since the table "
								+ instances.name() + " cannot be used: create it, and restart the application");
			}
			if (step.alive()) {
				// It may have come back to life after the first step.
				return (released == 0) ? SweepResult.ALIVE : new SweepResult(false, released, false);
			}
			released += step.released();
			if (step.rows() < SWEEP_ROWS) {
				return new SweepResult(false, released, true);
			}
		}
		while (this.clock.nanoTime() - begin < SWEEP_TIME.toNanos());
		return new SweepResult(false, released, false);
	}

	private SweepStep sweep(String instance) {
		LockTable table = this.resources.table();
		InstanceTable instances = this.resources.instances();
		return this.resources.executor().run(Kind.MAINTENANCE, "sweep", null, (connection, sent) -> {
			Known known = instances.find(connection, instance);
			if (known != null && known.alive()) {
				return ALIVE;
			}
			long tokens = (known != null) ? known.tokens() : table.tokens();
			List<OwnedRow> rows = table.heldBy(connection, instance);
			int released = 0;
			for (OwnedRow row : rows) {
				if (table.end(connection, row.key(), row.owner(), row.fence())) {
					// A process that was only paused learns why it has lost the lock.
					instances.noteEnd(connection, row.owner(), row.fence() - tokens + 1, row.endMicros());
					released++;
				}
			}
			return new SweepStep(false, rows.size(), released);
		});
	}

	/**
	 * Runs a command that may write notes.
	 */
	private interface NoteWriter {

		boolean run(boolean note);

	}

	/**
	 * One transaction of a sweep.
	 *
	 * @param alive whether the instance is alive
	 * @param rows how many locks it held
	 * @param released how many of them were ended
	 */
	private record SweepStep(boolean alive, int rows, int released) {
	}

}
