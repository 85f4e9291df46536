package io.github.distlock.lab.servers;

import io.github.distlock.lab.processes.ParentWatch;
import org.apache.curator.test.TestingServer;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

/**
 * A small JVM with a ZooKeeper inside, which ends with the launcher and leaves nothing.
 */
public final class ZooKeeperProcess {

	private ZooKeeperProcess() {
	}

	/**
	 * Run a ZooKeeper on 127.0.0.1 until standard input ends.
	 * @param args the port
	 * @throws Exception if the server cannot be started
	 */
	public static void main(String[] args) throws Exception {
		// There is no Spring here to set a level, and the default is the finest.
		LoggingSystem.get(ZooKeeperProcess.class.getClassLoader())
			.setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.WARN);
		TestingServer server = new TestingServer(Integer.parseInt(args[0]), true);
		Runtime.getRuntime().addShutdownHook(new Thread(() -> close(server), "zookeeper-clean"));
		ParentWatch.awaitEnd(System.in);
		System.exit(0);
	}

	private static void close(TestingServer server) {
		try {
			server.close();
		}
		catch (Exception ex) {
			// The temporary folder is the operating system's to clean then.
		}
	}

}
