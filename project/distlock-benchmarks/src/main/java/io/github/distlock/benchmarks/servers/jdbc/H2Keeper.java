package io.github.distlock.benchmarks.servers.jdbc;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import io.github.distlock.benchmarks.jvms.ParentWatch;
import org.h2.tools.Server;

/**
 * A JVM that is the server of H2, with one database in memory. Says how to connect when
 * it is ready.
 */
final class H2Keeper {

	private static final String DATABASE = "mem:benchmarks";

	private H2Keeper() {
	}

	public static void main(String[] args) throws SQLException {
		PrintStream out = System.out;
		Server server = Server.createTcpServer("-tcpPort", "0").start();
		// The server creates no database for a client.
		try (Connection first = DriverManager.getConnection("jdbc:h2:" + DATABASE + ";DB_CLOSE_DELAY=-1", "sa", "")) {
			out.println("jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/" + DATABASE + "|"
					+ first.getMetaData().getUserName() + "|");
		}
		ParentWatch.awaitEnd(System.in);
		System.exit(0);
	}

}
