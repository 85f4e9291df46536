package io.github.distlock.sample.launcher;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.h2.tools.Server;

/**
 * An H2 database in the memory of this JVM, served to the inventory nodes over TCP on
 * 127.0.0.1, under a password of its own. It ends with this JVM.
 */
final class EmbeddedDatabase implements AutoCloseable {

	private static final String USER = "sample";

	private final String password = new BigInteger(128, new SecureRandom()).toString(36);

	private final Server server;

	private final Connection keepsDatabase;

	EmbeddedDatabase() throws SQLException {
		System.setProperty("h2.bindAddress", "127.0.0.1");
		// A server does not create databases for its clients: it is made here.
		this.keepsDatabase = DriverManager.getConnection("jdbc:h2:mem:inventory;DB_CLOSE_DELAY=-1", USER,
				this.password);
		this.server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();
	}

	String url() {
		return "jdbc:h2:tcp://127.0.0.1:%d/mem:inventory".formatted(this.server.getPort());
	}

	String user() {
		return USER;
	}

	String password() {
		return this.password;
	}

	@Override
	public void close() throws SQLException {
		this.server.stop();
		this.keepsDatabase.close();
	}

}
