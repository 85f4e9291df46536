package io.github.distlock.backend.jdbc;

import java.util.List;

import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.jdbc.JdbcCommands.Kind;
import io.github.distlock.backend.jdbc.LockTable.LeaseRow;
import org.jspecify.annotations.Nullable;

/**
 * What a database tells operators of locks of the mode {@code lease}. Commands that only
 * read use connections like attempts do. The first token of a grant is computed with the
 * number of tokens that this JVM has configured; other JVMs should have the same.
 */
class JdbcInspection implements StoreInspection {

	final JdbcStore store;

	JdbcInspection(JdbcStore store) {
		this.store = store;
	}

	@Override
	public StoredLock inspect(String key) {
		StoredHolder holder = holder(read(key));
		return new StoredLock(key, (holder != null) ? List.of(holder) : List.of(), List.of());
	}

	private LeaseRow read(String key) {
		return this.store.commands.run(Kind.ATTEMPT, "inspection", key,
				(connection, sent) -> this.store.table.read(connection, sent, key));
	}

	private @Nullable StoredHolder holder(LeaseRow row) {
		return row.holder(this.store.table.tokens());
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
		if (end(key, row)) {
			return EndResult.ENDED;
		}
		return read(key).isHeld() ? EndResult.CHANGED : EndResult.NOT_HELD;
	}

	private boolean end(String key, LeaseRow row) {
		LockTable table = this.store.table;
		this.store.cleaner.rowUsed();
		return this.store.commands.run(Kind.HOLDER, "end of the grant", key,
				(connection, sent) -> connection.inTransaction(() -> {
					boolean ended = table.end(connection, table.key(key), row.owner(), row.fence());
					if (ended) {
						table.noteEnd(connection, row);
					}
					return ended;
				}));
	}

}
