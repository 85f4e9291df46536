package io.github.distlock.backend.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * A pool of an unknown type. A test sees each call of its connections before it is made.
 */
final class ObservedPool extends UnknownPool {

	private final Observer observer;

	ObservedPool(DataSource target, Observer observer) {
		super(target);
		this.observer = observer;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					this.observer.called(connection, method.getName(), (arguments != null) ? arguments[0] : null);
					try {
						return method.getName().equals("equals") ? proxy == arguments[0]
								: method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	/** What a test does before a call. */
	interface Observer {

		void called(Connection connection, String method, @Nullable Object argument) throws SQLException;

	}

}
