package io.github.distlock.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.slf4j.LoggerFactory;

import org.springframework.util.FileSystemUtils;
import org.springframework.util.function.ThrowingSupplier;

/** A real ZooKeeper server in this JVM. */
public final class ZooKeeperTestServer implements AutoCloseable {

	/** Session timeouts must be at least two ticks. */
	public static final Duration TICK = Duration.ofMillis(500);

	private final Path folder;

	private final int port = FreePorts.next();

	private ZooKeeperServerEmbedded server;

	private ZooKeeperTestServer(Path folder) throws Exception {
		this.folder = folder;
		this.server = startOn(folder, this.port);
	}

	public static ZooKeeperTestServer start() {
		disableLogging();
		return ThrowingSupplier.of(() -> {
			Path temporary = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir")));
			return new ZooKeeperTestServer(Files.createTempDirectory(temporary, "zookeeper"));
		}).get();
	}

	/**
	 * Its failures are exceptions. By default, and in Curator's server, they end the JVM.
	 */
	private static ZooKeeperServerEmbedded startOn(Path folder, int port) throws Exception {
		Properties settings = new Properties();
		settings.putAll(Map.of("dataDir", folder.resolve("data").toString(), "clientPort", "" + port, "tickTime",
				"" + TICK.toMillis(), "maxSessionTimeout", "120000", "maxClientCnxns", "0", "admin.enableServer",
				"false", "4lw.commands.whitelist", "*"));
		ZooKeeperServerEmbedded server = ZooKeeperServerEmbedded.builder()
			.baseDir(folder)
			.configuration(settings)
			.exitHandler(ExitHandler.LOG_ONLY)
			.build();
		server.start(Duration.ofMinutes(1).toMillis());
		return server;
	}

	/** Disable the logging of lost connections, which tests cause. */
	public static void disableLogging() {
		for (String name : new String[] { "org.apache.zookeeper", "org.apache.curator" }) {
			((Logger) LoggerFactory.getLogger(name)).setLevel(Level.OFF);
		}
	}

	public int port() {
		return this.port;
	}

	public String connectString() {
		return "127.0.0.1:" + this.port;
	}

	/**
	 * Create a client as an application has it, not started, which never repeats a
	 * command.
	 */
	public static CuratorFramework client(String connectString, Duration sessionTimeout) {
		disableLogging();
		return CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.connectionTimeoutMs(10_000)
			.retryPolicy(new RetryNTimes(0, 0))
			.build();
	}

	/** End the session of a client, as the server does when the session has expired. */
	public void endSession(CuratorFramework client) {
		CountDownLatch connected = new CountDownLatch(1);
		ThrowingSupplier.of(() -> {
			ZooKeeper session = client.getZookeeperClient().getZooKeeper();
			ZooKeeper twin = new ZooKeeper(connectString(), session.getSessionTimeout(),
					(event) -> connected.countDown(), session.getSessionId(), session.getSessionPasswd());
			if (!connected.await(30, TimeUnit.SECONDS)) {
				throw new IllegalStateException("No connection with the session of the client");
			}
			twin.close();
			return twin;
		}).get();
	}

	/**
	 * Count the sessions that watch each node below a root. Curator itself watches other
	 * nodes.
	 */
	public Map<String, Integer> watchers(String root) {
		Map<String, Integer> watchers = new TreeMap<>();
		String path = "";
		String said = ThrowingSupplier.of(() -> FourLetterWordMain.send4LetterWord("127.0.0.1", this.port, "wchp"))
			.get();
		for (String line : said.split("\n")) {
			if (line.startsWith("/")) {
				path = line.trim();
				watchers.put(path, 0);
			}
			else if (line.trim().startsWith("0x")) {
				watchers.merge(path, 1, Integer::sum);
			}
		}
		watchers.keySet().removeIf((watched) -> !watched.startsWith(root));
		return watchers;
	}

	/** Stop the server. Its data remain. */
	public void stop() {
		this.server.close();
	}

	/** Stop the server if it runs, and start it with its data. */
	public void restart() {
		stop();
		this.server = ThrowingSupplier.of(() -> startOn(this.folder, this.port)).get();
	}

	@Override
	public void close() {
		stop();
		FileSystemUtils.deleteRecursively(this.folder.toFile());
	}

}
