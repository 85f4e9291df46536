package io.github.distlock.sample;

import java.util.Arrays;

import io.github.distlock.sample.inventory.InventoryApplication;
import io.github.distlock.sample.lab.launcher.Launcher;
import io.github.distlock.sample.lab.launcher.ParentWatch;
import io.github.distlock.sample.lab.launcher.RedisKeeper;
import io.github.distlock.sample.lab.launcher.ZooKeeperKeeper;
import io.github.distlock.sample.lab.page.LabServer;
import io.github.distlock.sample.orders.OrderApplication;

/**
 * The main class of this program. Without a role it is the launcher, which serves the
 * page and the orders, starts this program again, once for each of the roles
 * {@code redis}, {@code zookeeper} and {@code inventory} that are needed, carries out the
 * orders and prints the report. The role {@code orders} is an order service without a
 * launcher, for containers.
 */
public final class OversellDemo {

	private OversellDemo() {
	}

	/**
	 * Take the role that the first argument names, or launch the whole demonstration.
	 * @param args a role and its settings, or the launcher's options ({@code --help})
	 * @throws Exception if a role cannot start
	 */
	public static void main(String[] args) throws Exception {
		ParentWatch.startIfAsked();
		String role = (args.length > 0) ? args[0] : "";
		switch (role) {
			case "redis" -> RedisKeeper.main(rest(args));
			case "zookeeper" -> ZooKeeperKeeper.main(rest(args));
			case "inventory" -> InventoryApplication.main(rest(args));
			case "orders" -> OrderApplication.main(rest(args));
			// Servers inside the launcher have threads that keep a JVM alive.
			default -> System.exit(new Launcher(System.out, System::exit, LabServer::start).launch(args));
		}
	}

	private static String[] rest(String[] args) {
		return Arrays.copyOfRange(args, 1, args.length);
	}

}
