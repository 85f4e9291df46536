package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.SQLExceptionOverride;
import com.zaxxer.hikari.pool.ProxyConnection;
import com.zaxxer.hikari.util.Credentials;
import com.zaxxer.hikari.util.DriverDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * A pool that is configured like the pool of the application, apart from what concerns
 * locks. It asks the other one for the credentials of each new connection, which may have
 * been changed.
 */
final class HikariLocks extends HikariDataSource {

	private static final int LEAST_TIMEOUT = 250;

	/** The pool of the application, or one with its URL and its present credentials. */
	private final Supplier<HikariDataSource> source;

	/**
	 * Create a pool. Opens no connection yet.
	 * @param size the number of connections
	 * @param idle how many connections wait to be used
	 * @param timeout the command time-out
	 */
	HikariLocks(Supplier<HikariDataSource> source, int size, int idle, Duration timeout) {
		this.source = source;
		HikariDataSource application = source.get();
		application.copyStateTo(this);
		setPoolName("distlock");
		setMaximumPoolSize(size);
		setMinimumIdle(idle);
		setIdleTimeout((idle == size) ? 0 : application.getIdleTimeout());
		// A command has an eighth of its time to get its turn, and to be sent.
		long millis = timeout.toMillis();
		setValidationTimeout(Math.max(LEAST_TIMEOUT, millis / 4));
		setConnectionTimeout(Math.max(LEAST_TIMEOUT, millis * 7 / 8 - getValidationTimeout()));
		setInitializationFailTimeout(-1);
		setLeakDetectionThreshold(0);
		setReadOnly(false);
		setAutoCommit(true);
		String url = application.getJdbcUrl();
		if (url == null || !url.matches("jdbc:(mysql|mariadb):.*")) {
			// There, single statements need no isolation level, and not every format of
			// the binary log supports this one.
			setTransactionIsolation("TRANSACTION_READ_COMMITTED");
		}
		setAllowPoolSuspension(false);
		setRegisterMbeans(false);
		if (getMetricRegistry() != null) {
			setMetricRegistry(null);
		}
		if (getMetricsTrackerFactory() != null) {
			setMetricsTrackerFactory(null);
		}
		setHealthCheckRegistry(null);
		setScheduledExecutor(null);
		setThreadFactory(null);
		setExceptionOverride(new NoEviction());
		limitLogin(application, url);
	}

	/**
	 * The time-out for a login is a global variable of the drivers, and this pool may not
	 * shorten that of the application.
	 */
	private void limitLogin(HikariDataSource application, @Nullable String url) {
		DataSource connections = getDataSource();
		if (connections == null && url != null && getDataSourceClassName() == null) {
			Credentials credentials = getCredentials();
			// A copy, because the application uses the same object.
			Properties properties = new Properties();
			properties.putAll(getDataSourceProperties());
			if (url.startsWith("jdbc:postgresql:")) {
				// A request to cancel is a connection of its own, for which a thread
				// waits.
				properties.putIfAbsent("cancelSignalTimeout",
						Long.toString(Math.max(1, getConnectionTimeout() / 1000)));
			}
			connections = new DriverDataSource(url, getDriverClassName(), properties, credentials.getUsername(),
					credentials.getPassword());
		}
		if (connections != null) {
			int seconds = (int) Math.max(1, application.getConnectionTimeout() / 1000);
			setDataSource(new Logins(connections, seconds));
		}
		else {
			// No other way to open a connection beside the pool.
			setMaximumPoolSize(getMaximumPoolSize() + 1);
		}
	}

	@Override
	public Credentials getCredentials() {
		return (this.source != null) ? this.source.get().getCredentials() : super.getCredentials();
	}

	@Override
	public String getUsername() {
		return (this.source != null) ? this.source.get().getUsername() : super.getUsername();
	}

	@Override
	public String getPassword() {
		return (this.source != null) ? this.source.get().getPassword() : super.getPassword();
	}

	/**
	 * Open a connection that does not belong to the pool, or take the one that the pool
	 * has for it.
	 */
	Connection openBeside() throws SQLException {
		DataSource connections = getDataSource();
		if (connections == null) {
			return getConnection();
		}
		Credentials credentials = getCredentials();
		String user = credentials.getUsername();
		return (user != null) ? connections.getConnection(user, credentials.getPassword())
				: connections.getConnection();
	}

	/** Part with a connection. Another thread closes it. Returns whether it is one. */
	boolean evict(Connection connection) {
		if (connection instanceof ProxyConnection) {
			evictConnection(connection);
			return true;
		}
		return false;
	}

	/** Part with the connections that are not in use, and with the others after it. */
	void evictAll() {
		HikariPoolMXBean pool = getHikariPoolMXBean();
		if (pool != null) {
			pool.softEvictConnections();
		}
	}

	/**
	 * Find the pool behind a data source of the application.
	 * @return returns the pool of the application or one that is configured like it;
	 * {@code null} if the data source may be more than a pool with a URL
	 */
	static @Nullable Supplier<HikariDataSource> source(DataSource dataSource) {
		DataSource target = dataSource;
		while (target instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
			target = proxy.getTargetDataSource();
		}
		if (target instanceof AbstractRoutingDataSource) {
			return null;
		}
		HikariDataSource hikari = unwrap(target, HikariDataSource.class);
		DataSource driver = (hikari != null) ? null : unwrap(target, AbstractDriverBasedDataSource.class);
		BeanWrapper pool = PropertyAccessorFactory.forBeanPropertyAccess((driver != null) ? driver : target);
		Supplier<HikariDataSource> source = (hikari != null) ? () -> hikari : () -> derive(pool);
		try {
			String url = source.get().getJdbcUrl();
			boolean usable = (hikari != null && url == null) || (url != null && !isPrivate(url));
			return usable ? source : null;
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

	private static <T> @Nullable T unwrap(DataSource dataSource, Class<T> type) {
		try {
			return dataSource.isWrapperFor(type) ? dataSource.unwrap(type) : null;
		}
		catch (SQLException | RuntimeException | AbstractMethodError ex) {
			return null;
		}
	}

	private static HikariDataSource derive(BeanWrapper pool) {
		HikariDataSource derived = new HikariDataSource();
		derived.setJdbcUrl(text(pool, "url", "jdbcUrl"));
		derived.setUsername(text(pool, "username", "user"));
		derived.setPassword(text(pool, "password"));
		String driver = text(pool, "driverClassName", "driverClass");
		if (driver != null) {
			derived.setDriverClassName(driver);
		}
		return derived;
	}

	private static @Nullable String text(BeanWrapper pool, String... names) {
		for (String name : names) {
			if (pool.isReadableProperty(name) && pool.getPropertyValue(name) instanceof String text) {
				return text;
			}
		}
		return null;
	}

	/** A database without a name is another one for each connection. */
	private static boolean isPrivate(String url) {
		return url.toLowerCase(Locale.ROOT).matches("jdbc:h2:mem:(;.*)?");
	}

	/**
	 * Leaves the time-out for a login as the application has set it.
	 */
	private static final class Logins extends DelegatingDataSource {

		private final int seconds;

		Logins(DataSource target, int seconds) {
			super(target);
			this.seconds = seconds;
		}

		@Override
		public Connection getConnection() throws SQLException {
			return obtainTargetDataSource().getConnection();
		}

		@Override
		public void setLoginTimeout(int ignored) throws SQLException {
			super.setLoginTimeout(this.seconds);
		}

	}

	/**
	 * The store itself parts with a connection after a doubtful answer. The pool would
	 * write a stack trace, too.
	 */
	private static final class NoEviction implements SQLExceptionOverride {

		@java.lang.Override
		public Override adjudicate(SQLException failure) {
			return Override.DO_NOT_EVICT;
		}

	}

}
