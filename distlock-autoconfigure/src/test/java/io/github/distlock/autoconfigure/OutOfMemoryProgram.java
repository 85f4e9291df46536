package io.github.distlock.autoconfigure;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

/**
 * Holds five locks while the heap is full for a moment, several times. Prints whether
 * each lock is held afterwards, or its loss was reported, whether a lock that is acquired
 * later is renewed, and which threads have ended.
 */
final class OutOfMemoryProgram {

	/** An argument: the heap is never full. */
	static final String FREE = "--heap=free";

	private static final Duration LEASE = Duration.ofSeconds(4);

	private static final long FULL_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

	private static final int LOCKS = 5;

	/** Allocated before. */
	private static final @Nullable Object[] BALLAST = new @Nullable Object[1_000_000];

	private OutOfMemoryProgram() {
	}

	public static void main(String[] properties) {
		PrintStream out = System.out;
		boolean free = List.of(properties).contains(FREE);
		// Where the heap is never full, no command is to fail. A third of the lease is
		// the
		// limit.
		String timeout = free ? "1300ms" : "600ms";
		LockRegistry registry = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=warn", "distlock.lease-time=" + LEASE,
					"distlock.redis.command-timeout=" + timeout, "distlock.jdbc.command-timeout=" + timeout)
			.run(properties)
			.getBean(LockRegistry.class);
		out.println("started");
		List<HeldLock> held = new ArrayList<>();
		List<Semaphore> told = new ArrayList<>();
		for (int i = 0; i < LOCKS; i++) {
			Semaphore loss = new Semaphore(0);
			HeldLock lock = registry.acquire(LockRequest.of("lock-" + i));
			lock.onLost(loss::release);
			held.add(lock);
			told.add(loss);
		}
		registry.acquire(LockRequest.of("lost").leaseTime(LEASE)).onLost(() -> {
		});
		// Loads what is used while the heap is full.
		sleep(Duration.ofMillis(1));
		Set<String> before = threads();
		SplittableRandom random = new SplittableRandom();
		Begin.mark();
		if (!free) {
			fillTheHeap(random);
		}
		// Both a renewal and a report need time, and memory that is free.
		sleep(LEASE.multipliedBy(2));
		for (int i = 0; i < 20 && silent(held, told) > 0; i++) {
			sleep(Duration.ofSeconds(1));
		}
		int silent = silent(held, told);
		int lost = 0;
		int twice = 0;
		for (Semaphore reports : told) {
			lost += (reports.availablePermits() > 0) ? 1 : 0;
			twice += (reports.availablePermits() > 1) ? 1 : 0;
		}
		before.removeAll(threads());
		String later = "lost";
		// A watchdog that has ended renews none of them.
		for (int i = 0; i < 5 && later.equals("lost"); i++) {
			later = later(registry, "later-" + i);
		}
		out.println("result silent " + silent + ", reported " + lost + ", twice " + twice + ", later " + later
				+ ", ended " + before);
		Runtime.getRuntime().halt(0);
	}

	private static int silent(List<HeldLock> held, List<Semaphore> told) {
		int silent = 0;
		for (int i = 0; i < LOCKS; i++) {
			boolean isHeld = held.get(i).isHeld();
			silent += (isHeld == told.get(i).availablePermits() > 0) ? 1 : 0;
		}
		return silent;
	}

	private static String later(LockRegistry registry, String key) {
		try {
			HeldLock lock = registry.acquire(LockRequest.of(key));
			sleep(LEASE.plusSeconds(1));
			return lock.isHeld() ? "renewed" : "lost";
		}
		catch (Exception ex) {
			return ex.toString();
		}
	}

	private static void fillTheHeap(SplittableRandom random) {
		for (int times = random.nextInt(5, 10); times > 0; times--) {
			int used = 0;
			int size = 1 << 20;
			while (size > 8) {
				try {
					BALLAST[used] = new byte[size];
					used++;
				}
				catch (OutOfMemoryError ex) {
					size = size / 2;
				}
			}
			LockSupport.parkNanos(FULL_NANOS);
			while (used > 0) {
				BALLAST[--used] = null;
			}
			sleep(Duration.ofMillis(random.nextInt(10, 100)));
		}
	}

	/** Names without numbers would hide one that was replaced. */
	private static Set<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> !name.matches("distlock-(callback|io|renewal|jdbc|log)-\\d+|.*:connection-adder"))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static void sleep(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	/** The log of the classes shows when it is initialized: all is ready. */
	static final class Begin {

		private static volatile long nanos = System.nanoTime();

		static void mark() {
			nanos++;
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class,
			DistlockLocalAutoConfiguration.class, DistlockRedisAutoConfiguration.class,
			DistlockJdbcAutoConfiguration.class, DistlockZooKeeperAutoConfiguration.class,
			DistlockAutoConfiguration.class })
	static class Application {

	}

}
