package io.github.distlock.backend.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * A pool of an unknown type whose statements can collide.
 */
public class ObservedPool extends AbstractDataSource {

	private final DataSource target;

	private final AtomicBoolean collision = new AtomicBoolean();

	ObservedPool(DataSource target) {
		this.target = target;
	}

	/**
	 * Let the next statement fail like one that inserts a key that another session has
	 * just inserted.
	 */
	void collides() {
		this.collision.set(true);
	}

	boolean hasCollided() {
		return !this.collision.get();
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = this.target.getConnection();
		Connection[] proxy = new Connection[1];
		proxy[0] = (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(self, method, arguments) -> call(proxy[0], connection, method, arguments));
		return proxy[0];
	}

	private @Nullable Object call(Connection proxy, Connection connection, Method method, Object @Nullable [] arguments)
			throws Throwable {
		switch (method.getName()) {
			case "hashCode":
				return System.identityHashCode(proxy);
			case "equals":
				return arguments != null && arguments[0] == proxy;
			case "prepareStatement":
				if (this.collision.compareAndSet(true, false)) {
					try (Statement statement = connection.createStatement()) {
						statement.execute("INSERT INTO distlock_lock SELECT * FROM distlock_lock");
					}
				}
				break;
			default:
		}
		try {
			return method.invoke(connection, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	@Override
	public Connection getConnection(String username, String password) throws SQLException {
		return getConnection();
	}

}
