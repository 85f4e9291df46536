package io.github.distlock.benchmarks.servers.redis;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.github.distlock.benchmarks.contenders.RedisAddress;

/**
 * Starts servers without persistence. This JVM ends if one of them does.
 *
 * @param program what to start
 * @param home the folder of all of them
 */
record RedisProcesses(Path program, Path home) {

	/** Our lock refuses the vote of a master that has not been running for a minute. */
	private static final Duration OLD_ENOUGH = Duration.ofSeconds(61);

	/** Status of a process that was ended when the run was over. */
	private static final int KILLED = 137;

	/**
	 * Start one server.
	 * @param options more options
	 * @return its address, where it listens
	 */
	String start(String... options) throws IOException {
		int port = freePort();
		Path folder = Files.createTempDirectory(this.home, "server");
		Path log = folder.resolve("output.log");
		List<String> command = new ArrayList<>(
				List.of(this.program.toString(), "--port", Integer.toString(port), "--bind", "127.0.0.1", "--save", "",
						"--appendonly", "no", "--loglevel", "warning", "--dir", folder.toString()));
		command.addAll(Arrays.asList(options));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		process.onExit().thenRun(() -> giveUp(process.exitValue(), log));
		await(() -> listens(port));
		return RedisServers.at(port);
	}

	private static void giveUp(int status, Path log) {
		PrintStream err = System.err;
		try {
			if (status != KILLED) {
				err.println("The server ended with status " + status + ": " + Files.readString(log).strip());
			}
		}
		catch (IOException ex) {
			// The status has to do.
		}
		System.exit(1);
	}

	/**
	 * Start a server that offers TLS on a second port.
	 * @return its address without and with TLS, and the file of its certificate
	 */
	List<String> startWithTls() throws IOException {
		SelfSigned identity = SelfSigned.create(this.home);
		int port = freePort();
		String plain = start("--tls-port", Integer.toString(port), "--tls-cert-file", identity.certificate().toString(),
				"--tls-key-file", identity.key().toString(), "--tls-ca-cert-file", identity.certificate().toString(),
				"--tls-auth-clients", "no");
		await(() -> listens(port));
		return List.of(plain, RedisServers.at(port), identity.certificate().toString());
	}

	/**
	 * Start a server and its replica.
	 * @return both addresses, the master first, when the replica is in step
	 */
	List<String> startWithReplica() throws IOException {
		String master = start("--repl-diskless-sync-delay", "0");
		RedisAddress address = RedisAddress.parse(master);
		String replica = start("--replicaof", address.host(), Integer.toString(address.port()));
		try (RedisConsole console = new RedisConsole(address)) {
			await(() -> console.ask("INFO replication").contains("state=online"));
		}
		return List.of(master, replica);
	}

	/**
	 * Start independent masters.
	 * @param count how many
	 * @return their addresses, when they may vote
	 */
	List<String> startMasters(int count) throws IOException {
		List<String> masters = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			masters.add(start());
		}
		long end = System.nanoTime() + OLD_ENOUGH.toNanos();
		await(() -> System.nanoTime() - end > 0);
		return masters;
	}

	private static void await(BooleanSupplier condition) {
		while (!condition.getAsBoolean()) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			return socket.getLocalPort();
		}
	}

	private static boolean listens(int port) {
		try (Socket socket = new Socket("127.0.0.1", port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
