package io.github.distlock.lab;

import java.util.Arrays;
import java.util.Locale;

import io.github.distlock.lab.page.LabServer;
import io.github.distlock.lab.servers.RedisProcess;
import io.github.distlock.lab.servers.ZooKeeperProcess;

/**
 * The entry of the lab, for the main class of a program.
 */
public final class Lab {

	private Lab() {
	}

	/**
	 * Be the server that the first argument names, or launch the whole lab. Does not
	 * return: this JVM ends with the status of the launch.
	 * @param program the program
	 * @param args {@code redis} or {@code zookeeper} and the ports, or the options of the
	 * launcher ({@code --help})
	 * @throws Exception if a server cannot start
	 */
	public static void main(Program program, String... args) throws Exception {
		// All is in English. Some languages have digits of their own, also in addresses.
		Locale.setDefault(Locale.ROOT);
		String role = (args.length > 0) ? args[0] : "";
		switch (role) {
			case "redis" -> RedisProcess.main(rest(args));
			case "zookeeper" -> ZooKeeperProcess.main(rest(args));
			// Servers inside the launcher have threads that keep a JVM alive.
			default -> System.exit(new Launcher(System.out, System::exit, LabServer::start, program).launch(args));
		}
	}

	private static String[] rest(String[] args) {
		return Arrays.copyOfRange(args, 1, args.length);
	}

}
