package io.github.distlock.benchmarks.servers.redis;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.distlock.benchmarks.contenders.RedisAddress;
import io.github.distlock.benchmarks.jvms.ParentWatch;
import io.github.distlock.benchmarks.servers.Deployment;
import redis.embedded.core.ExecutableProvider;

import org.springframework.util.FileSystemUtils;

/**
 * A small JVM around the servers of one deployment, so that neither they nor their
 * unpacked program stay behind when the launcher ends, even by SIGKILL. Says their
 * addresses when they are ready.
 */
final class RedisKeeper {

	/** Precedes the address of a server that is there. */
	static final String BEHIND = "behind:";

	private RedisKeeper() {
	}

	public static void main(String[] args) throws Exception {
		PrintStream out = System.out;
		Path temporary = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir", ".")));
		Path home = Files.createTempDirectory(temporary, "distlock-benchmarks-redis");
		Runtime.getRuntime().addShutdownHook(new Thread(() -> clean(home), "redis-keeper-clean"));
		String given = (args.length > 1) ? args[1] : "";
		List<String> addresses = given.startsWith(BEHIND)
				? List.of(given.substring(BEHIND.length()), delayed(given.substring(BEHIND.length())))
				: start(Deployment.valueOf(args[0]), processes(home, given));
		out.println(String.join("|", addresses));
		ParentWatch.awaitEnd(System.in);
		System.exit(0);
	}

	private static RedisProcesses processes(Path home, String given) throws IOException {
		Path program = given.isEmpty() ? ExecutableProvider.newJarResourceProvider(home.toFile()).get().toPath()
				: Path.of(given);
		return new RedisProcesses(program, home);
	}

	private static List<String> start(Deployment deployment, RedisProcesses processes) throws Exception {
		return switch (deployment) {
			case DELAYED -> {
				String server = processes.start();
				yield List.of(server, delayed(server));
			}
			case TLS -> processes.startWithTls();
			case REPLICA -> processes.startWithReplica();
			case REDLOCK -> processes.startMasters(3);
			default -> List.of(processes.start());
		};
	}

	private static String delayed(String server) throws IOException {
		return RedisServers.at(DelayProxy.start(RedisAddress.parse(server)));
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
