package io.github.distlock.smoke;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import redis.embedded.core.ExecutableProvider;

import static org.awaitility.Awaitility.await;

/**
 * A Redis or a Valkey on a free port. Ends with this JVM at the latest.
 */
final class RedisProcess implements Server {

	private final Process process;

	private final int port;

	private final Thread atExit;

	private RedisProcess(Process process, int port) {
		this.process = process;
		this.port = port;
		this.atExit = new Thread(process::destroyForcibly);
		Runtime.getRuntime().addShutdownHook(this.atExit);
		await("a server on port " + port).atMost(Duration.ofMinutes(2)).until(this::accepts);
	}

	/** Start the Redis of the build, or with {@code -Dredis.server} another server. */
	static RedisProcess ofTheBuild() {
		String other = System.getProperty("redis.server");
		return (other != null) ? start(other) : start(Embedded.EXECUTABLE.toString());
	}

	/** Start a server that is installed on this machine. */
	static RedisProcess of(Path executable) {
		return start(executable.toString());
	}

	private static RedisProcess start(String executable) {
		try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			int port = free.getLocalPort();
			free.close();
			return new RedisProcess(new ProcessBuilder(executable, "--port", Integer.toString(port), "--bind",
					"127.0.0.1", "--save", "", "--appendonly", "no")
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start(), port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private boolean accepts() {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	int port() {
		return this.port;
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		Runtime.getRuntime().removeShutdownHook(this.atExit);
	}

	/** Unpacked once for each JVM. */
	private static final class Embedded {

		static final Path EXECUTABLE = unpack();

		private static Path unpack() {
			try {
				Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir", "")));
				File file = ExecutableProvider.newJarResourceProvider().get();
				file.deleteOnExit();
				return file.toPath();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
