package io.github.distlock.smoke;

import java.io.PrintStream;

/**
 * Starts a node, locks once over Redis, and ends.
 */
final class LockingOnce {

	private LockingOnce() {
	}

	/**
	 * {@code arguments}: the port of Redis. Prints while the application runs: when it
	 * has ended, the default handler of the embedded ZooKeeper would log a failure to
	 * nowhere, and its threads would keep the JVM alive.
	 */
	public static void main(String[] arguments) {
		PrintStream out = System.out;
		int status = 1;
		try (SmokeNode node = SmokeNode.start("lettuce", Integer.parseInt(arguments[0]))) {
			node.bean(LockedSections.class).overRedis("once", (token) -> out.println("locked with token " + token), 0);
			status = 0;
		}
		catch (RuntimeException ex) {
			ex.printStackTrace(out);
		}
		System.exit(status);
	}

}
