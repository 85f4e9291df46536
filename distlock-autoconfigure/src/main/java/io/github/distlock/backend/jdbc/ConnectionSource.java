package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import javax.sql.DataSource;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Where the connections come from. They are taken on the store's threads, which have no
 * transaction: so none is ever that of a caller's transaction, whatever proxies the
 * application has around its pool.
 */
final class ConnectionSource {

	/** What pools call the number of their connections. */
	private static final List<String> SIZES = List.of("maximumPoolSize", "maxTotal", "maxActive", "maxPoolSize");

	private final DataSource dataSource;

	private final long timeoutMillis;

	private volatile @Nullable Contact contact;

	ConnectionSource(DataSource dataSource, JdbcBackendSettings settings) {
		this.dataSource = dataSource;
		this.timeoutMillis = settings.commandTimeout().toMillis();
	}

	/**
	 * Take a connection.
	 * @param transaction whether more than one statement will run in a transaction
	 */
	StoreConnection open(boolean transaction) throws SQLException {
		Connection connection = this.dataSource.getConnection();
		try {
			Contact known = contact(connection);
			boolean change = known.otherIsolation() && (transaction || !known.dialect().statementsIgnoreIsolation());
			return new StoreConnection(connection, this.timeoutMillis, change);
		}
		catch (SQLException | RuntimeException ex) {
			connection.close();
			throw ex;
		}
	}

	/** The database, known once a connection was had. */
	JdbcDialect dialect() {
		return Objects.requireNonNull(this.contact).dialect();
	}

	SqlScript script() {
		return Objects.requireNonNull(this.contact).script();
	}

	private Contact contact(Connection connection) throws SQLException {
		Contact known = this.contact;
		if (known == null) {
			JdbcDialect dialect = JdbcDialect.of(connection.getMetaData());
			known = new Contact(dialect, new SqlScript(dialect),
					connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED);
			this.contact = known;
		}
		return known;
	}

	/**
	 * Return how many connections the pool has at most.
	 * @return the number, or {@code null} if it is no pool that is known
	 */
	@Nullable Integer poolSize() {
		DataSource pool = this.dataSource;
		while (pool instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
			pool = proxy.getTargetDataSource();
		}
		BeanWrapper bean = PropertyAccessorFactory.forBeanPropertyAccess(pool);
		for (String name : SIZES) {
			if (bean.isReadableProperty(name) && bean.getPropertyValue(name) instanceof Integer size) {
				// Not known before the pool is started.
				return (size > 0) ? size : null;
			}
		}
		return null;
	}

	/** Say that none was had in time. */
	LockBackendException noConnection(String what, @Nullable String key, @Nullable SQLException cause) {
		return new LockBackendException("No connection came out of " + describe() + " within "
				+ Duration.ofMillis(this.timeoutMillis) + " for the " + what + JdbcFailures.lock(key)
				+ ((cause != null) ? " (" + cause.getMessage() + ")" : "")
				+ ": the database is away, or the pool has none left, as when callers inside transactions keep them"
				+ " all. Give the pool more (spring.datasource.hikari.maximum-pool-size, at least 2), or name a"
				+ " DataSource of its own for the locks (distlock.jdbc.data-source)", cause);
	}

	/** Name the pool in a message. */
	String describe() {
		Integer size = poolSize();
		return "the DataSource (" + this.dataSource.getClass().getSimpleName()
				+ ((size != null) ? ", at most " + size + ((size == 1) ? " connection)" : " connections)") : ")");
	}

	private record Contact(JdbcDialect dialect, SqlScript script, boolean otherIsolation) {
	}

}
