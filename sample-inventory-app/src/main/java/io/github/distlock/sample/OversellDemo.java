package io.github.distlock.sample;

import java.util.Arrays;

import io.github.distlock.lab.Lab;
import io.github.distlock.lab.Program;
import io.github.distlock.lab.processes.ParentWatch;
import io.github.distlock.sample.strategies.NodeApplication;
import io.github.distlock.sample.strategies.StrategyCatalogue;

/**
 * The main class of this program. With the role {@code inventory} or {@code orders} it is
 * a node or the order service of the shop, as the lab and containers start it. Else it is
 * the lab.
 */
public final class OversellDemo {

	private OversellDemo() {
	}

	/**
	 * Take the role that the first argument names, or launch the lab.
	 * @param args a role and its settings, or the lab's options ({@code --help})
	 * @throws Exception if a role cannot start
	 */
	public static void main(String[] args) throws Exception {
		ParentWatch.startIfAsked();
		String role = (args.length > 0) ? args[0] : "";
		switch (role) {
			case "inventory" -> NodeApplication.main(rest(args));
			case "orders" -> NodeApplication.runOrders(rest(args));
			default -> Lab.main(new Program(OversellDemo.class.getName(), NodeApplication.ORDERS_IN_LAB,
					StrategyCatalogue.catalogue()), args);
		}
	}

	private static String[] rest(String[] args) {
		return Arrays.copyOfRange(args, 1, args.length);
	}

}
