package io.github.distlock.benchmarks.servers.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import io.github.distlock.benchmarks.contenders.StoreAddress;

/**
 * A connection that asks a database about itself, and commits each statement.
 */
final class SqlConsole implements AutoCloseable {

	private final StoreAddress address;

	private final Connection connection;

	SqlConsole(StoreAddress address) {
		this.address = address;
		try {
			this.connection = DriverManager.getConnection(address.parts().get(0), address.parts().get(1),
					address.parts().get(2));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(address + " cannot be reached: " + ex.getMessage(), ex);
		}
	}

	StoreAddress address() {
		return this.address;
	}

	Connection connection() {
		return this.connection;
	}

	void run(String sql) {
		try (Statement statement = this.connection.createStatement()) {
			statement.execute(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(sql + ": " + ex.getMessage(), ex);
		}
	}

	/**
	 * Ask for a number.
	 * @param sql a query of one row and column
	 * @return the number, zero if the row has none
	 */
	double number(String sql) {
		try (Statement statement = this.connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
			rows.next();
			return rows.getDouble(1);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(sql + ": " + ex.getMessage(), ex);
		}
	}

	String product() {
		try {
			return this.connection.getMetaData().getDatabaseProductName() + " "
					+ this.connection.getMetaData().getDatabaseProductVersion().replaceAll(" .*", "");
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.connection.close();
		}
		catch (SQLException ex) {
			// The server is gone already.
		}
	}

}
