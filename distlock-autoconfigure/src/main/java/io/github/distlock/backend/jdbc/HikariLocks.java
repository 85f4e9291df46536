package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import com.zaxxer.hikari.util.DriverDataSource;
import io.github.distlock.backend.jdbc.JdbcExceptionTranslator.DatabaseText;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * A pool that is configured like the pool of the application, apart from what concerns
 * locks: the one place that says what is copied, and from what.
 * <ul>
 * <li>When the store opens: address, properties of the driver, schema, init SQL.</li>
 * <li>For each new connection: user and password ({@link #getCredentials()}), which may
 * have been changed.</li>
 * <li>At intervals: meters, and the pool that replaces the copied one, if it leads to the
 * same address ({@link #follow}).</li>
 * <li>From what {@link #find} finds behind proxies, lazy, delegating, routing, refreshed
 * and scoped data sources. What overrides the methods of a pool is not copied.</li>
 * </ul>
 */
final class HikariLocks extends HikariDataSource {

	private static final Log logger = LockLog.of(HikariLocks.class);

	private static final int LEAST_TIMEOUT = 250;

	/** Replaced when the application replaces its pool. */
	private volatile @Nullable HikariDataSource application;

	/** Whether the application has gone to another address. */
	private volatile boolean moved;

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

	/**
	 * Take over what is known later than this pool begins: meters, which Spring Boot sets
	 * when all beans exist, and a pool that has replaced the copied one. If that leads to
	 * another address the locks stay, since other JVMs have them here.
	 */
	void follow(DataSource dataSource) {
		HikariDataSource current = this.moved ? null : find(dataSource);
		if (current == null) {
			return;
		}
		String here = DatabaseText.location(null, getJdbcUrl());
		String there = DatabaseText.location(null, current.getJdbcUrl());
		this.moved = !there.equals(here);
		if (this.moved) {
			logger.error("The DataSource of the application leads to " + there + " now, the locks of this JVM stay in "
					+ here + ", and a JVM that starts now does not exclude this one: restart all JVMs");
			return;
		}
		this.application = current;
		if (getMetricsTrackerFactory() == null && current.getMetricsTrackerFactory() != null) {
			setMetricsTrackerFactory(current.getMetricsTrackerFactory());
		}
	}

	@Override
	public Credentials getCredentials() {
		return (this.application != null) ? this.application.getCredentials() : super.getCredentials();
	}

	/** Whether the driver uses plain sockets, as far as its URL says. */
	boolean hasPlainSockets() {
		String url = (getJdbcUrl() != null) ? getJdbcUrl() : "";
		String options = (url + getDataSourceProperties().keySet()).toLowerCase(Locale.ROOT);
		return url.matches("jdbc:(postgresql|mariadb|mysql):.*") && !options.contains("socketfactory")
				&& !options.contains("localsocket") && !options.contains("pipe");
	}

	/**
	 * Find the pool behind a data source of the application. Of a routing data source it
	 * is the default one: threads of the store belong to no tenant. Opens no connection.
	 * @return the pool, or {@code null} if there is none whose configuration leads to the
	 * same database
	 */
	static @Nullable HikariDataSource find(DataSource dataSource) {
		DataSource target = (dataSource instanceof DelegatingDataSource proxy) ? proxy.getTargetDataSource()
				: (dataSource instanceof AbstractRoutingDataSource router) ? router.getResolvedDefaultDataSource()
						: null;
		if (target != null) {
			return find(target);
		}
		try {
			if (dataSource instanceof AbstractRoutingDataSource || !dataSource.isWrapperFor(HikariDataSource.class)) {
				return null;
			}
			HikariDataSource pool = dataSource.unwrap(HikariDataSource.class);
			String url = pool.getJdbcUrl();
			// An H2 without a name is another database for each connection.
			return (url != null && url.toLowerCase(Locale.ROOT).matches("jdbc:h2:mem:(;.*)?")) ? null : pool;
		}
		catch (SQLException ex) {
			return null;
		}
	}

}
