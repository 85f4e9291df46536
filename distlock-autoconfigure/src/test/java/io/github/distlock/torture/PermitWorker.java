package io.github.distlock.torture;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.RedisTestServer;

/**
 * A JVM of the torture of permits: threads that enter again and again, each with a
 * witness of its own, until a line on the standard input ends them.
 */
final class PermitWorker {

	static final Duration LEASE = Duration.ofSeconds(2);

	static final int CALLERS = 16;

	private static final AtomicInteger entries = new AtomicInteger();

	private static final AtomicInteger late = new AtomicInteger();

	private static final AtomicInteger unnoticed = new AtomicInteger();

	private static volatile boolean over;

	private PermitWorker() {
	}

	public static void main(String[] args) throws Exception {
		int port = Integer.parseInt(args[0]);
		int permits = Integer.parseInt(args[1]);
		String name = args[2];
		PrintStream out = System.out;
		BackendLockRegistry registry = new BackendLockRegistry(
				new RedisLockBackend(RedisTestServer.connectionFactory(port),
						new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 17), TimeSource.SYSTEM),
				RedisNodes.settings(LEASE), List.of(), TimeSource.SYSTEM);
		registry.start();
		Thread[] callers = new Thread[CALLERS];
		for (int i = 0; i < CALLERS; i++) {
			String caller = name + "-" + i;
			callers[i] = new Thread(() -> work(registry, port, permits, caller), caller);
			callers[i].start();
		}
		out.println("started");
		System.in.read();
		over = true;
		for (Thread caller : callers) {
			caller.join();
		}
		out.println("done " + entries + " " + late + " " + unnoticed);
		Runtime.getRuntime().halt(0);
	}

	private static void work(BackendLockRegistry registry, int port, int permits, String caller) {
		Random random = new Random();
		try (PermitWitness witness = new PermitWitness(port)) {
			for (int i = 0; !over; i++) {
				LockRequest request = LockRequest.of("torture").permits(permits).waitTime(Duration.ofSeconds(10));
				try {
					HeldLock lock = registry.acquire((random.nextInt(3) == 0) ? request.leaseTime(LEASE) : request);
					body(lock, witness, caller + "-" + i, random);
				}
				catch (LockException ex) {
					// No permit, or a server that is too slow: again.
				}
			}
		}
	}

	/** A body whose lease has ended is late: that must be reported when it ends. */
	private static void body(HeldLock lock, PermitWitness witness, String body, Random random) {
		long now = witness.micros();
		witness.entered(body, now + lock.remaining().toNanos() / 1000);
		entries.incrementAndGet();
		LockSupport.parkNanos(Duration.ofMillis(1 + random.nextInt(5)).toNanos());
		witness.leaving(body);
		boolean held = lock.isHeld();
		try {
			lock.close();
			unnoticed.addAndGet(held ? 0 : 1);
		}
		catch (LockLostException ex) {
			late.incrementAndGet();
		}
	}

}
