package io.github.distlock.backend.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * A pool of an unknown type, whose connections locks have to use. A test may see each
 * call of its connections before it is made.
 */
class UnknownPool extends AbstractDataSource {

	private final Source source;

	private final @Nullable Observer observer;

	UnknownPool(DataSource target) {
		this(target, null);
	}

	UnknownPool(DataSource target, @Nullable Observer observer) {
		this(target::getConnection, observer);
	}

	UnknownPool(Source source, @Nullable Observer observer) {
		this.source = source;
		this.observer = observer;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = this.source.getConnection();
		Observer called = this.observer;
		return (called == null) ? connection : (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					called.called(connection, method.getName(), (arguments != null) ? arguments[0] : null);
					return method.getName().equals("equals") ? proxy == arguments[0]
							: AopUtils.invokeJoinpointUsingReflection(connection, method, arguments);
				});
	}

	@Override
	public Connection getConnection(String username, String password) throws SQLException {
		return getConnection();
	}

	/** Opens connections. */
	interface Source {

		Connection getConnection() throws SQLException;

	}

	/** What a test does before a call. */
	interface Observer {

		void called(Connection connection, String method, @Nullable Object argument) throws SQLException;

	}

}
