package io.github.distlock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.registry.BackendLockRegistry;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A JVM that locks one key and executes the lines it reads: {@code acquire}, {@code
 * check}, {@code close}, and {@code keep PT2S}, which acquires with a minimum hold time
 * and closes at once. Exits when its standard input is closed.
 */
final class LockChild {

	private LockChild() {
	}

	public static void main(String[] args) throws IOException {
		int port = Integer.parseInt(args[0]);
		String key = args[1];
		Duration lease = Duration.parse(args[2]);
		PrintStream out = System.out;
		LettuceConnectionFactory connections = RedisTestServer.connectionFactory(port);
		BackendLockRegistry registry = new BackendLockRegistry(
				new RedisLockBackend(connections,
						new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 17), TimeSource.SYSTEM),
				RedisNodes.settings(lease), List.of(new Talk(out)), TimeSource.SYSTEM);
		obey(registry, key, out);
	}

	/** Execute the lines, and print the results. */
	static void obey(BackendLockRegistry registry, String key, PrintStream out) throws IOException {
		registry.start();
		out.println("started");
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		HeldLock lock = null;
		for (String line; (line = in.readLine()) != null;) {
			if (line.equals("acquire")) {
				lock = registry.acquire(LockRequest.of(key).waitTime(LockRequest.FOREVER));
				out.println("acquired " + lock.fencingToken());
			}
			else if (line.startsWith("keep ")) {
				Duration minHold = Duration.parse(line.substring("keep ".length()));
				registry.acquire(LockRequest.of(key).waitTime(LockRequest.FOREVER).minHold(minHold)).close();
				out.println("closed");
			}
			else if (line.equals("check") && lock != null) {
				out.println("held " + lock.isHeld());
			}
			else if (line.equals("close") && lock != null) {
				try {
					lock.close();
					out.println("released");
				}
				catch (LockLostException ex) {
					out.println("lost");
				}
			}
		}
		Runtime.getRuntime().halt(0);
	}

	/** Prints when the child waits. */
	record Talk(PrintStream out) implements LockListener {

		@Override
		public void onWaiting(Waiting event) {
			this.out.println("waiting");
		}

	}

}
