package io.github.distlock.lab.servers;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.h2.tools.Server;

/**
 * An H2 database in the memory of this JVM, served to the inventory nodes over TCP on
 * 127.0.0.1, under a password of its own. It ends with this JVM.
 *
 * @param url the address for other processes
 * @param user the user
 * @param password the user's password
 */
record EmbeddedDatabase(String url, String user, String password) {

	private static final String LOCAL = "jdbc:h2:mem:inventory";

	static EmbeddedDatabase start() throws SQLException {
		String user = "sample";
		String password = new BigInteger(128, new SecureRandom()).toString(36);
		// The server does not create databases for its clients, so this connection does.
		DriverManager.getConnection(LOCAL + ";DB_CLOSE_DELAY=-1", user, password).close();
		System.setProperty("h2.bindAddress", "127.0.0.1");
		Server server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();
		return new EmbeddedDatabase(
				"jdbc:h2:tcp://127.0.0.1:%d/mem:inventory;LOCK_TIMEOUT=60000".formatted(server.getPort()), user,
				password);
	}

	/**
	 * Open a connection inside this JVM.
	 * @return a new connection
	 * @throws SQLException if there is none
	 */
	Connection connect() throws SQLException {
		return DriverManager.getConnection(LOCAL, this.user, this.password);
	}

}
