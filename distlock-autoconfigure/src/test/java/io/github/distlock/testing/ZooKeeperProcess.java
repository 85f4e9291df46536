package io.github.distlock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.server.ZooKeeperServerMain;
import org.awaitility.Awaitility;

import org.springframework.util.FileSystemUtils;

/**
 * A real ZooKeeper server in a JVM of its own, which can be paused, and killed and
 * restarted with its data. Ends with this JVM at the latest.
 */
public final class ZooKeeperProcess implements AutoCloseable {

	private static final Duration START = Duration.ofMinutes(2);

	/** Without what it says about each connection. */
	private static final String QUIET = """
			<configuration>
			  <statusListener class="ch.qos.logback.core.status.NopStatusListener"/>
			  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
			    <encoder><pattern>%-5level %logger{0} %msg%n</pattern></encoder>
			  </appender>
			  <root level="ERROR"><appender-ref ref="OUT"/></root>
			</configuration>
			""";

	/** Containers without nodes are removed so soon, also those that never had one. */
	private static final long CONTAINER_MILLIS = 3000;

	private final int port = FreePorts.next();

	private final Path folder;

	private volatile Process process;

	/** Start a server without data. */
	public ZooKeeperProcess() {
		try {
			this.folder = Files.createTempDirectory("zookeeper-" + this.port + "-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.process = start();
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
	}

	private Process start() {
		List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-Dzookeeper.admin.enableServer=false",
				// A process that is killed loses nothing that it has written.
				"-Dzookeeper.forceSync=no", "-Dznode.container.checkIntervalMs=" + CONTAINER_MILLIS,
				"-Dznode.container.maxNeverUsedIntervalMs=" + CONTAINER_MILLIS,
				"-Dlogback.configurationFile=" + this.folder.resolve("logback.xml"), "-cp",
				System.getProperty("java.class.path"), ZooKeeperServerMain.class.getName(), "" + this.port,
				this.folder.resolve("data").toString(), "" + ZooKeeperTestServer.TICK.toMillis());
		Path log = this.folder.resolve("server.log");
		try {
			Files.writeString(this.folder.resolve("logback.xml"), QUIET);
			Process started = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.start();
			Awaitility.await().atMost(START).until(() -> !started.isAlive() || serves());
			if (!started.isAlive()) {
				throw new IllegalStateException("No ZooKeeper on port " + this.port + ": " + Files.readString(log));
			}
			return started;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
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

	public long pid() {
		return this.process.pid();
	}

	/** Kill the server, and start it with its data. Returns when it serves again. */
	public void crash() {
		kill();
		this.process = start();
	}

	private void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	@Override
	public void close() {
		kill();
		FileSystemUtils.deleteRecursively(this.folder.toFile());
	}

}
