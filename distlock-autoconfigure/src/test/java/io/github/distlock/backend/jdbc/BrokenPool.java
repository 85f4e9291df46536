package io.github.distlock.backend.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Connections to a database on which the answer to an attempt of a lock can be replaced,
 * after the database has sent it.
 */
final class BrokenPool extends UnknownPool {

	/** Replaces the next answer. */
	final Queue<Answer> next = new ConcurrentLinkedQueue<>();

	/** The connection of each attempt. */
	final List<Connection> used = new CopyOnWriteArrayList<>();

	BrokenPool(TestDatabase database) {
		super(new DriverManagerDataSource(database.url(), database.user(), ""));
	}

	/** A pool of an application. */
	HikariDataSource pool() {
		HikariConfig settings = new HikariConfig();
		settings.setDataSource(this);
		settings.setMaximumPoolSize(2);
		return new HikariDataSource(settings);
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return proxy(Connection.class, connection, (method, arguments, result) -> {
			boolean attempt = method.equals("prepareStatement") && String.valueOf(arguments[0]).startsWith("WITH held");
			return attempt ? statement(connection, (PreparedStatement) result) : result;
		});
	}

	private PreparedStatement statement(Connection connection, PreparedStatement statement) {
		return proxy(PreparedStatement.class, statement, (method, arguments, result) -> {
			if (!method.equals("getResultSet")) {
				return result;
			}
			this.used.add(connection);
			Answer answer = this.next.poll();
			return (answer != null) ? answer.to(connection) : result;
		});
	}

	private static <T> T proxy(Class<T> type, T target, Results results) {
		return type.cast(Proxy.newProxyInstance(BrokenPool.class.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> {
					try {
						return method.getName().equals("equals") ? proxy == arguments[0]
								: results.replace(method.getName(), arguments, method.invoke(target, arguments));
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				}));
	}

	/** An answer instead of that of the database. */
	interface Answer {

		ResultSet to(Connection connection) throws SQLException;

	}

	/** What becomes of the result of a call. */
	private interface Results {

		Object replace(String method, Object[] arguments, Object result) throws SQLException;

	}

}
