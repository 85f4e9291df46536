package io.github.distlock.backend.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * A pool of an unknown type that records its connections, and whose database can fail.
 */
public class ObservedPool extends AbstractDataSource {

	final AtomicInteger opened = new AtomicInteger();

	/** Borrowed connections. */
	final Set<Connection> used = ConcurrentHashMap.newKeySet();

	private final DataSource target;

	private final int maximumPoolSize;

	private final long maxLifetime;

	private volatile @Nullable SQLException outage;

	private volatile @Nullable BooleanSupplier validation;

	private final AtomicBoolean collision = new AtomicBoolean();

	/** Connections whose server has become a replica. */
	private final Set<Connection> readOnly = ConcurrentHashMap.newKeySet();

	ObservedPool(DataSource target, int maximumPoolSize, long maxLifetime) {
		this.target = target;
		this.maximumPoolSize = maximumPoolSize;
		this.maxLifetime = maxLifetime;
	}

	/** A property that the store reads by its name. */
	public int getMaximumPoolSize() {
		return this.maximumPoolSize;
	}

	/** A property that the store reads by its name. */
	public long getMaxLifetime() {
		return this.maxLifetime;
	}

	void goesDown() {
		this.outage = new SQLException("Connection refused", "08001");
	}

	void comesBack() {
		this.outage = null;
	}

	/** Replace the validation of all connections, or restore it. */
	void validatesBy(@Nullable BooleanSupplier validation) {
		this.validation = validation;
	}

	/** The borrowed connections stay connected to the former primary. */
	void failsOver() {
		this.readOnly.addAll(this.used);
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
		SQLException failure = this.outage;
		if (failure != null) {
			throw failure;
		}
		Connection connection = this.target.getConnection();
		this.opened.incrementAndGet();
		Connection[] proxy = new Connection[1];
		proxy[0] = (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(self, method, arguments) -> call(proxy[0], connection, method, arguments));
		this.used.add(proxy[0]);
		return proxy[0];
	}

	private @Nullable Object call(Connection proxy, Connection connection, Method method, Object @Nullable [] arguments)
			throws Throwable {
		switch (method.getName()) {
			case "hashCode":
				return System.identityHashCode(proxy);
			case "equals":
				return arguments != null && arguments[0] == proxy;
			case "close":
				this.used.remove(proxy);
				break;
			case "isValid":
				BooleanSupplier replaced = this.validation;
				if (replaced != null) {
					return replaced.getAsBoolean();
				}
				break;
			case "prepareStatement":
				if (this.readOnly.contains(proxy)) {
					throw new SQLException("cannot execute UPDATE in a read-only transaction", "25006");
				}
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
