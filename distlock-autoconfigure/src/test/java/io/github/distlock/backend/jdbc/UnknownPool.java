package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * A pool of an unknown type, whose connections locks have to use.
 */
class UnknownPool extends AbstractDataSource {

	private final DataSource target;

	UnknownPool(DataSource target) {
		this.target = target;
	}

	@Override
	public Connection getConnection() throws SQLException {
		return this.target.getConnection();
	}

	@Override
	public Connection getConnection(String username, String password) throws SQLException {
		return getConnection();
	}

}
