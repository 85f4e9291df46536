package io.github.distlock.benchmarks.servers.zookeeper;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.github.distlock.benchmarks.jvms.ParentWatch;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/**
 * A JVM that is a ZooKeeper server. Says its address when it is ready.
 */
final class ZooKeeperKeeper {

	private ZooKeeperKeeper() {
	}

	public static void main(String[] args) throws Exception {
		PrintStream out = System.out;
		Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir", ".")));
		InstanceSpec spec = new InstanceSpec(null, -1, -1, -1, true, -1, -1, -1,
				Map.of("4lw.commands.whitelist", "mntr,srvr"));
		try (TestingServer server = new TestingServer(spec, true)) {
			out.println(server.getConnectString());
			ParentWatch.awaitEnd(System.in);
		}
		System.exit(0);
	}

}
