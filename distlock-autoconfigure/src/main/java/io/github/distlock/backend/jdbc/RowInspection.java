package io.github.distlock.backend.jdbc;

import java.util.HexFormat;

import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.UnsupportedStoreOperationException;

/**
 * Tells operators how to find and end the session that holds a lock of the mode
 * {@code row}. A row shows only a lease of the other mode.
 */
final class RowInspection extends JdbcInspection {

	RowInspection(JdbcStore store) {
		super(store);
	}

	@Override
	public StoredLock inspect(String key) {
		StoredLock lock = super.inspect(key);
		if (lock.holders().isEmpty()) {
			throw unsupported(key, "does not tell this library which session has locked a row");
		}
		return lock;
	}

	@Override
	public EndResult end(String key, long grantToken) {
		// Only a connection knows which statements the database has.
		this.store.ping();
		throw unsupported(key, "ends a lock of the mode 'row' only with the session of its holder");
	}

	private UnsupportedStoreOperationException unsupported(String key, String problem) {
		return new UnsupportedStoreOperationException(this.store.pool.dialect().product() + " " + problem
				+ JdbcExceptionTranslator.lock(key) + ": an administrator finds the session by "
				+ sql("showsessions", key) + " and ends it by " + sql("killsession", key));
	}

	private String sql(String statement, String key) {
		String literal = (this.store.table.keyPrefix() + key).replace("'", "''");
		String hex = HexFormat.of().withUpperCase().formatHex(this.store.table.key(key));
		return this.store.pool.statements().get(statement).text().replace("{hex}", hex).replace("{key}", literal);
	}

}
