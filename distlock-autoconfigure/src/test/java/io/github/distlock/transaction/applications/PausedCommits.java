package io.github.distlock.transaction.applications;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A database whose commits can be delayed, as by a process that pauses before the commit
 * arrives.
 */
class PausedCommits implements BeanPostProcessor {

	private static final Runnable NOTHING = () -> {
	};

	private volatile Runnable onCommit = NOTHING;

	/** Runs once, when the next commit has left the application. */
	void beforeNext(Runnable action) {
		this.onCommit = () -> {
			this.onCommit = NOTHING;
			action.run();
		};
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (bean instanceof DataSource dataSource) ? new DelegatingDataSource(dataSource) {

			@Override
			public Connection getConnection() throws SQLException {
				return pausing(super.getConnection());
			}

		} : bean;
	}

	private Connection pausing(Connection connection) {
		return (Connection) Proxy.newProxyInstance(PausedCommits.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("commit")) {
						this.onCommit.run();
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

}
