package io.github.distlock.registry;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Random;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.RedisTestServer;

/**
 * Acquires and closes locks near the end of small stacks, and says after how many
 * {@link StackOverflowError}s the registry stopped to answer other callers.
 */
final class StackOverflowProgram {

	private static final int STACK_BYTES = 256 * 1024;

	private static final int NEAREST = 10;

	private static final int FARTHEST = 210;

	private static final Duration HANG = Duration.ofSeconds(15);

	private final BackendLockRegistry registry;

	private int deepest;

	private int errors;

	private StackOverflowProgram(BackendLockRegistry registry) {
		this.registry = registry;
	}

	public static void main(String[] args) throws InterruptedException {
		PrintStream out = System.out;
		BackendLockRegistry registry = args[0].equals("local")
				? new BackendLockRegistry(
						new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 1, TimeSource.SYSTEM),
						RedisNodes.settings(Duration.ofSeconds(30)), List.of(), TimeSource.SYSTEM)
				: new BackendLockRegistry(
						new RedisLockBackend(RedisTestServer.connectionFactory(Integer.parseInt(args[0])),
								new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 17),
								TimeSource.SYSTEM),
						RedisNodes.settings(Duration.ofSeconds(30)), List.of(), TimeSource.SYSTEM);
		registry.start();
		out.println("started");
		StackOverflowProgram program = new StackOverflowProgram(registry);
		String result = program.run(Integer.parseInt(args[1]), Long.parseLong(args[2]));
		out.println("errors " + program.errors + " " + result);
		Runtime.getRuntime().halt(0);
	}

	private String run(int errors, long seed) throws InterruptedException {
		for (int i = 0; i < 3000; i++) {
			call("warm-up-" + i % 100);
		}
		Random random = new Random(seed);
		for (int call = 0; this.errors < errors; call++) {
			String key = "deep-" + call;
			this.deepest = 0;
			onStack(() -> dive(0, Integer.MAX_VALUE, key));
			int depth = this.deepest - NEAREST - random.nextInt(FARTHEST - NEAREST);
			onStack(() -> dive(0, depth, key));
			Thread other = new Thread(() -> {
				for (int i = 0; i < 5; i++) {
					call("other-" + i);
				}
			});
			other.setDaemon(true);
			other.start();
			other.join(HANG.toMillis());
			if (other.isAlive()) {
				return "hang at " + List.of(other.getStackTrace());
			}
		}
		Thread shutdown = new Thread(this.registry::shutdown);
		shutdown.setDaemon(true);
		shutdown.start();
		shutdown.join(HANG.toMillis());
		return shutdown.isAlive() ? "hang in shutdown at " + List.of(shutdown.getStackTrace()) : "healthy";
	}

	private static void onStack(Runnable action) throws InterruptedException {
		Thread thread = new Thread(null, () -> {
			try {
				action.run();
			}
			catch (StackOverflowError ex) {
				// The end of the stack.
			}
		}, "deep", STACK_BYTES);
		thread.setDaemon(true);
		thread.start();
		thread.join(HANG.toMillis());
	}

	/** Call at a depth; the end is found with the same frames, so at the same depth. */
	private void dive(int depth, int callDepth, String key) {
		this.deepest = depth;
		if (depth < callDepth) {
			dive(depth + 1, callDepth, key);
			return;
		}
		try {
			call(key);
		}
		catch (StackOverflowError ex) {
			this.errors++;
		}
		catch (LockBackendException ex) {
			// The command time-out.
		}
	}

	private void call(String key) {
		HeldLock lock = this.registry.acquire(LockRequest.of(key).waitTime(Duration.ofMillis(50)));
		lock.close();
	}

}
