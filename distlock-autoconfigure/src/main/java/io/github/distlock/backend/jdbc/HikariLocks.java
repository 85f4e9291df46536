package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import com.zaxxer.hikari.util.DriverDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * A pool that is configured like the pool of the application, apart from what concerns
 * locks. It asks the other one for the credentials of each new connection, which may have
 * been changed.
 */
final class HikariLocks extends HikariDataSource {

	private static final int LEAST_TIMEOUT = 250;

	private final @Nullable HikariDataSource application;

	/**
	 * Create a pool. Opens no connection yet.
	 * @param size the number of connections
	 * @param idle how many connections wait to be used
	 * @param timeout the command time-out
	 */
	HikariLocks(HikariDataSource application, int size, int idle, Duration timeout) {
		this.application = application;
		application.copyStateTo(this);
		setPoolName("distlock");
		setMaximumPoolSize(size);
		setMinimumIdle(idle);
		// A command has an eighth of its time to get its turn, and to be sent.
		long millis = timeout.toMillis();
		setValidationTimeout(Math.max(LEAST_TIMEOUT, millis / 4));
		setConnectionTimeout(Math.max(LEAST_TIMEOUT, millis * 7 / 8 - getValidationTimeout()));
		setInitializationFailTimeout(-1);
		setLeakDetectionThreshold(0);
		setReadOnly(false);
		setAutoCommit(true);
		setTransactionIsolation("TRANSACTION_READ_COMMITTED");
		setRegisterMbeans(false);
		DataSource connections = getDataSource();
		if (connections == null && getJdbcUrl() != null && getDataSourceClassName() == null) {
			Credentials credentials = getCredentials();
			connections = new DriverDataSource(getJdbcUrl(), getDriverClassName(), getDataSourceProperties(),
					credentials.getUsername(), credentials.getPassword());
		}
		if (connections != null) {
			setDataSource(new DelegatingDataSource(connections) {

				/**
				 * Ignored: it is a global variable of the drivers, and this pool may not
				 * shorten that of the application.
				 */
				@Override
				public void setLoginTimeout(int seconds) {
				}

			});
		}
	}

	@Override
	public Credentials getCredentials() {
		return (this.application != null) ? this.application.getCredentials() : super.getCredentials();
	}

	@Override
	public String getUsername() {
		return (this.application != null) ? this.application.getUsername() : super.getUsername();
	}

	@Override
	public String getPassword() {
		return (this.application != null) ? this.application.getPassword() : super.getPassword();
	}

	/** Whether the driver uses plain sockets, as far as its URL says. */
	boolean hasPlainSockets() {
		String url = (getJdbcUrl() != null) ? getJdbcUrl() : "";
		String options = (url + getDataSourceProperties().keySet()).toLowerCase(Locale.ROOT);
		return url.matches("jdbc:(postgresql|mariadb|mysql):.*") && !options.contains("socketfactory")
				&& !options.contains("localsocket") && !options.contains("pipe");
	}

	/**
	 * Find the pool behind a data source of the application.
	 * @return the pool, or {@code null} if there may be more than one, or none whose
	 * configuration leads to the same database
	 */
	static @Nullable HikariDataSource find(DataSource dataSource) {
		DataSource target = dataSource;
		while (target instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
			target = proxy.getTargetDataSource();
		}
		try {
			if (target instanceof AbstractRoutingDataSource || !target.isWrapperFor(HikariDataSource.class)) {
				return null;
			}
			HikariDataSource pool = target.unwrap(HikariDataSource.class);
			String url = pool.getJdbcUrl();
			// An H2 without a name is another database for each connection.
			return (url != null && url.toLowerCase(Locale.ROOT).matches("jdbc:h2:mem:(;.*)?")) ? null : pool;
		}
		catch (SQLException ex) {
			return null;
		}
	}

}
