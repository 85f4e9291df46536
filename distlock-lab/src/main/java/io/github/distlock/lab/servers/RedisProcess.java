package io.github.distlock.lab.servers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.distlock.lab.processes.ParentWatch;
import redis.embedded.core.ExecutableProvider;

import org.springframework.util.FileSystemUtils;

/**
 * A small JVM around redis-servers: neither a server nor the unpacked program file stays
 * behind when the launcher ends, even by SIGKILL. It starts them before it reads its
 * standard input, so the servers are watched at every moment.
 */
public final class RedisProcess {

	private RedisProcess() {
	}

	/**
	 * Run masters without persistence on 127.0.0.1 until standard input ends.
	 * @param args their ports
	 * @throws IOException if a server cannot be unpacked or started
	 */
	public static void main(String[] args) throws IOException {
		Path home = Files.createTempDirectory("distlock-sample-redis");
		Runtime.getRuntime().addShutdownHook(new Thread(() -> clean(home), "redis-clean"));
		File program = ExecutableProvider.newJarResourceProvider(home.toFile()).get();
		for (String port : args) {
			Process redis = new ProcessBuilder(command(program, port, home)).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.INHERIT)
				.start();
			redis.onExit().thenRun(() -> System.exit(1));
		}
		ParentWatch.awaitEnd(System.in);
		System.exit(0);
	}

	private static List<String> command(File program, String port, Path home) {
		return List.of(program.getAbsolutePath(), "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly",
				"no", "--dir", home.toString());
	}

	private static void clean(Path home) {
		ProcessHandle.current().children().forEach(RedisProcess::end);
		try {
			FileSystemUtils.deleteRecursively(home);
		}
		catch (IOException ex) {
			// Then the operating system cleans the temporary folder.
		}
	}

	private static void end(ProcessHandle server) {
		server.destroyForcibly();
		try {
			server.onExit().get(2, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Exception ex) {
			// The process did not end in time. There is no stronger signal than the one
			// sent.
		}
	}

}
