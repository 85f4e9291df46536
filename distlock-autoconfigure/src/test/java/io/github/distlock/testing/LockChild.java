package io.github.distlock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

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
 * check}, {@code close}, {@code keep PT2S}, which acquires with a minimum hold time and
 * closes at once, and {@code kept PT1S}, which does so until the lock is kept. Exits when
 * its standard input is closed.
 */
final class LockChild {

	private LockChild() {
	}

	public static void main(String[] args) throws IOException {
		int port = Integer.parseInt(args[0]);
		String key = args[1];
		Duration lease = Duration.parse(args[2]);
		TimeSource clock = (args.length > 3) ? new StoppedClock() : TimeSource.SYSTEM;
		PrintStream out = System.out;
		LettuceConnectionFactory connections = RedisTestServer.connectionFactory(port);
		BackendLockRegistry registry = new BackendLockRegistry(
				new RedisLockBackend(connections,
						new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 17), clock),
				RedisNodes.settings(lease), List.of(new Talk(out)), clock);
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
			else if (line.startsWith("kept ")) {
				out.println("kept " + keep(registry,
						LockRequest.of(key)
							.waitTime(LockRequest.FOREVER)
							.keep(Duration.parse(line.substring("kept ".length())))));
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

	private static long keep(BackendLockRegistry registry, LockRequest request) {
		while (true) {
			long token;
			try (HeldLock lock = registry.acquire(request)) {
				token = lock.fencingToken();
			}
			if (!registry.snapshot().kept().isEmpty()) {
				return token;
			}
			// The inbox is not confirmed yet.
			LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
		}
	}

	/** Prints when the child waits. */
	record Talk(PrintStream out) implements LockListener {

		@Override
		public void onWaiting(Waiting event) {
			this.out.println("waiting");
		}

	}

}
