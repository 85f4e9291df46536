package io.github.distlock.benchmarks.redis;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.benchmarks.ParentWatch;
import redis.embedded.core.ExecutableProvider;

import org.springframework.util.FileSystemUtils;

/**
 * A small JVM around one redis-server, so that neither the server nor its unpacked
 * program stays behind when the launcher ends, even by SIGKILL. Says its port when the
 * server listens.
 */
final class RedisKeeper {

	private RedisKeeper() {
	}

	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		Path temporary = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir", ".")));
		Path home = Files.createTempDirectory(temporary, "distlock-benchmarks-redis");
		Runtime.getRuntime().addShutdownHook(new Thread(() -> clean(home), "redis-keeper-clean"));
		File program = ExecutableProvider.newJarResourceProvider(home.toFile()).get();
		int port = freePort();
		Process redis = new ProcessBuilder(
				List.of(program.getAbsolutePath(), "--port", Integer.toString(port), "--bind", "127.0.0.1", "--save",
						"", "--appendonly", "no", "--loglevel", "warning", "--dir", home.toString()))
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		redis.onExit().thenRun(() -> System.exit(1));
		while (!listens(port)) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
		}
		out.println(port);
		ParentWatch.awaitEnd(System.in);
		System.exit(0);
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

	private static void clean(Path home) {
		ProcessHandle.current().children().forEach((server) -> {
			server.destroyForcibly();
			server.onExit().orTimeout(2, TimeUnit.SECONDS).exceptionally((ex) -> server).join();
		});
		try {
			FileSystemUtils.deleteRecursively(home);
		}
		catch (IOException ex) {
			// The temporary folder is the operating system's to clean then.
		}
	}

}
