package io.github.distlock.backend.jdbc;

import java.io.PrintStream;
import java.util.concurrent.locks.LockSupport;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.Grant;

/**
 * A program that holds one row until it is killed.
 */
final class RowChild {

	private RowChild() {
	}

	public static void main(String[] args) {
		PrintStream out = System.out;
		out.println("started");
		HikariDataSource pool = new TestDatabase(args[0], args[1], args[2]).pool(4);
		JdbcNode node = JdbcNode.row(pool, 4);
		Grant grant = node.take(node.ticket(args[3]));
		out.println("held " + grant.firstToken());
		while (true) {
			LockSupport.park();
		}
	}

}
