package io.github.distlock.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.server.ZooKeeperServerMain;

import org.springframework.util.FileSystemUtils;
import org.springframework.util.function.ThrowingSupplier;

/**
 * A real ZooKeeper server in a JVM of its own, which can be paused, and killed and
 * restarted with its data.
 */
public final class ZooKeeperProcess extends ChildProcess {

	/** Containers without nodes are removed so soon, also those that never had one. */
	private static final long CONTAINER_MILLIS = 3000;

	private final int port;

	private final Path folder;

	private ZooKeeperProcess(int port, Path folder) {
		super(command(port, folder));
		this.port = port;
		this.folder = folder;
	}

	/** Start a server without data. */
	public static ZooKeeperProcess start() {
		int port = FreePorts.next();
		Path folder = ThrowingSupplier.of(() -> Files.createTempDirectory("zookeeper-" + port + "-")).get();
		// Without what it says about each connection.
		ThrowingSupplier.of(() -> Files.writeString(folder.resolve("logback.xml"), logging("ERROR"))).get();
		ZooKeeperProcess server = new ZooKeeperProcess(port, folder);
		server.awaitStart();
		return server;
	}

	private static ProcessBuilder command(int port, Path folder) {
		List<String> options = List.of("-Dzookeeper.admin.enableServer=false",
				// A process that is killed loses nothing that it has written.
				"-Dzookeeper.forceSync=no", "-Dznode.container.checkIntervalMs=" + CONTAINER_MILLIS,
				"-Dznode.container.maxNeverUsedIntervalMs=" + CONTAINER_MILLIS,
				"-Dlogback.configurationFile=" + folder.resolve("logback.xml"));
		return java(options, ZooKeeperServerMain.class,
				List.of("" + port, folder.resolve("data").toString(), "" + ZooKeeperTestServer.TICK.toMillis()))
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("server.log").toFile()));
	}

	private void awaitStart() {
		awaitStart("ZooKeeper on port " + this.port, this.folder.resolve("server.log"), this::serves);
	}

	private boolean serves() {
		try {
			return FourLetterWordMain.send4LetterWord("127.0.0.1", this.port, "srvr").contains("Mode:");
		}
		catch (Exception ex) {
			// It does not listen yet.
			return false;
		}
	}

	public int port() {
		return this.port;
	}

	/** Kill the server, and start it with its data. Returns when it serves again. */
	public void crash() {
		kill();
		restart(command(this.port, this.folder));
		awaitStart();
	}

	@Override
	public void close() {
		super.close();
		FileSystemUtils.deleteRecursively(this.folder.toFile());
	}

}
