package io.github.distlock.backend.jdbc;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.StoreNode;

/**
 * A program that holds a lock until it is killed, and says after a pause whether it still
 * relies on it.
 */
final class ConnectionChild {

	private static final long TICK_NANOS = 10_000_000;

	private ConnectionChild() {
	}

	public static void main(String[] args) {
		PrintStream out = System.out;
		out.println("started");
		HikariDataSource pool = new TestDatabase(args[0], args[1], args[2]).pool(4);
		JdbcNode node = JdbcNode.connection(pool, 4);
		Duration lease = Duration.ofMillis((args.length > 4) ? Long.parseLong(args[4]) : 30_000);
		Grant grant = StoreNode.granted(node.attempt(node.ticket(args[3]), lease, true));
		out.println("held " + grant.firstToken());
		long last = System.nanoTime();
		while (true) {
			boolean valid = !grant.validity().hasPassed(TimeSource.SYSTEM);
			long now = System.nanoTime();
			// The lease of a paused process ends a little earlier.
			if (now - last > lease.toNanos() - 2_000_000_000) {
				out.println("resumed valid=" + valid);
			}
			last = now;
			LockSupport.parkNanos(TICK_NANOS);
		}
	}

}
