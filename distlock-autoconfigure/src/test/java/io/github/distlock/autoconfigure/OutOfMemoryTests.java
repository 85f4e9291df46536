package io.github.distlock.autoconfigure;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * JVMs whose heap is full for moments: no lock is lost in silence, and the watchdog goes
 * on.
 */
@Execution(ExecutionMode.CONCURRENT)
class OutOfMemoryTests {

	/** How many JVMs of each store, in the longer checks. */
	private static final int RUNS = Integer.getInteger("distlock.oom.runs", 3);

	/**
	 * Classes of lambdas, which are made again; of locks, which come with the first
	 * contention of the JVM; of the one buffer of 128 that Netty tracks: without its
	 * class only the command that uses it fails.
	 */
	private static final String AT_ANY_TIME = ".*(LambdaForm\\$|java/util/concurrent/locks/|netty/buffer/SimpleLeakAware).*";

	@Test
	void afterALackOfMemoryEachLockIsRenewedOrItsLossReported() {
		assertThat(run("--distlock.backend=local")).startsWith("silent 0, ").contains(", twice 0, later renewed");
	}

	/**
	 * An initializer that finds no memory makes its class useless for the rest of the
	 * JVM's life. Without {@link Thread.State}, for example, no pool can start a thread.
	 */
	@Test
	void renewalsAndLossesNeedNoClassThatIsInitializedLate(@TempDir Path folder) throws IOException {
		assertThat(initializedLate(folder, "--distlock.backend=local")).isEmpty();
	}

	/** A driver may lose a thread in the same way: those runs are only counted. */
	@Test
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
	void noLossIsSilentWhileTheDriverHasAllItsThreads(@TempDir Path folder) throws Exception {
		try (RedisTestServer redis = RedisTestServer.start();
				ZooKeeperTestServer zooKeeper = ZooKeeperTestServer.start();
				EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
			Map<String, String[]> stores = new TreeMap<>();
			stores.put("local", new String[] { "--distlock.backend=local" });
			stores.put("redis", new String[] { "--spring.data.redis.port=" + redis.port() });
			stores.put("jdbc", new String[] { "--distlock.backend=jdbc", "--distlock.jdbc.initialize-schema=always",
					"--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres") });
			stores.put("zookeeper", new String[] { "--distlock.backend=zookeeper",
					"--distlock.zookeeper.connect-string=" + zooKeeper.connectString() });
			for (Map.Entry<String, String[]> store : stores.entrySet()) {
				assertThat(initializedLate(folder, store.getValue())).as(store.getKey()).isEmpty();
				for (int i = 0; i < RUNS; i++) {
					// Of its own keys: an earlier run was ended while it held some.
					String result = run(Stream.concat(Stream.of(store.getValue()),
							Stream.of("--distlock.key-prefix=run-" + i + ":", "--distlock.zookeeper.root=/run-" + i))
						.toArray(String[]::new));
					LogFactory.getLog(OutOfMemoryTests.class).info(store.getKey() + ": " + result);
					assertThat(result).matches("silent 0, .*|.*, ended \\[.+]");
				}
			}
		}
	}

	private static List<String> initializedLate(Path folder, String... store) throws IOException {
		Path log = folder.resolve("classes.log");
		try (ChildJvm child = ChildJvm.start(List.of("-Xlog:class+init=info:file=" + log), OutOfMemoryProgram.class,
				Stream.concat(Stream.of(store), Stream.of(OutOfMemoryProgram.FREE)).toArray(String[]::new))) {
			assertThat(child.expect("result")).startsWith("silent 0, ");
		}
		List<String> classes = Files.readAllLines(log)
			.stream()
			.filter((line) -> line.contains("Initializing '") && !line.contains("(no method)")
					&& !line.matches(AT_ANY_TIME))
			.map((line) -> line.substring(line.indexOf('\'')))
			.dropWhile((line) -> !line.contains("$Begin'"))
			.toList();
		assertThat(classes).isNotEmpty();
		return classes.subList(1, classes.size());
	}

	private static String run(String... store) {
		try (ChildJvm child = ChildJvm.start(List.of("-Xmx64m"), OutOfMemoryProgram.class, store)) {
			return child.expect("result");
		}
	}

	/**
	 * Holds five locks while the heap is full for a moment, several times. Prints whether
	 * each lock is held afterwards, or its loss was reported, whether a lock that is
	 * acquired later is renewed, and which threads have ended.
	 */
	static final class OutOfMemoryProgram {

		/** An argument: the heap is never full. */
		static final String FREE = "--heap=free";

		private static final Duration LEASE = Duration.ofSeconds(4);

		private static final long FULL_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

		private static final int LOCKS = 5;

		/** Allocated before. */
		private static final @Nullable Object[] BALLAST = new @Nullable Object[1_000_000];

		public static void main(String[] properties) {
			PrintStream out = System.out;
			boolean free = List.of(properties).contains(FREE);
			// Where the heap is never full, no command is to fail. A third of the
			// lease is the limit.
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

}
