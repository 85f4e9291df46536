package io.github.distlock.thread;

import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import com.google.common.util.concurrent.Uninterruptibles;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.autoconfigure.Contexts;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Transports;
import io.netty.util.concurrent.EventExecutorGroup;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.util.function.ThrowingSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * The application blocks all threads that run its code: the event loops and executors of
 * its Redis client, the common pool, callbacks of futures and of losses, and listeners.
 * No lock depends on them: a held lock stays held, a free one is granted, a waiting
 * caller gets the lock that another JVM releases, and a future completes. The property
 * {@code blocked.seconds} lets the threads block for longer.
 */
@Execution(ExecutionMode.CONCURRENT)
class BlockedThreadsTests {

	private static final Duration LEASE = Duration.ofSeconds(9);

	private static final Duration BLOCKED = Duration.ofSeconds(Integer.getInteger("blocked.seconds", 11));

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	@AutoClose
	private static final RedisTestServer second = RedisTestServer.start();

	@AutoClose
	private static final RedisTestServer third = RedisTestServer.start();

	@AutoClose
	private static final EmbeddedPostgres postgres = ThrowingSupplier.of(EmbeddedPostgres::start).get();

	@AutoClose
	private static final ZooKeeperTestServer zooKeeper = ZooKeeperTestServer.start();

	@ParameterizedTest
	@ValueSource(strings = { "redis", "jedis", "redlock", "h2", "connection", "postgresql", "zookeeper", "local" })
	void noLockDependsOnAThreadThatTheApplicationBlocks(String store) throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		ApplicationContextRunner runner = application(store).withPropertyValues(
				"distlock.lease-time=" + LEASE.toMillis() + "ms",
				"distlock.wait-time=" + BLOCKED.plusSeconds(30).toSeconds() + "s", "distlock.shutdown-grace-period=0s");
		runner.run((other) -> runner.withBean(LockListener.class, () -> blockingListener(end)).run((application) -> {
			try {
				check(store, application, other, end);
			}
			finally {
				// Before the end of the application, which waits for its threads.
				end.countDown();
			}
		}));
	}

	@Test
	void aMessageNamesTheBlockedThreadOfAClientThatTheApplicationShares() {
		CountDownLatch end = new CountDownLatch(1);
		application("redis")
			.withPropertyValues("distlock.redis.dedicated-connection=false", "spring.data.redis.timeout=5s")
			.run((application) -> {
				LockRegistry registry = application.getBean(LockRegistry.class);
				registry.acquire(LockRequest.of("shared")).close();
				try {
					blockClient(application, () -> Uninterruptibles.awaitUninterruptibly(end));
					assertThatExceptionOfType(LockBackendException.class)
						.isThrownBy(() -> registry.acquire(LockRequest.of("shared").waitTime(Duration.ZERO)))
						.withMessageMatching("Code of the application blocks"
								+ " \\[lettuce-\\w*EventLoop-.*dedicated-connection=true[.] The attempt for lock 'shared' failed");
				}
				finally {
					end.countDown();
				}
			});
	}

	static ApplicationContextRunner application(String store) {
		ApplicationContextRunner onRedis = Contexts.withRedis()
			.withPropertyValues("spring.data.redis.port=" + redis.port(), "distlock.key-prefix=" + store + ":");
		ApplicationContextRunner onDatabase = Contexts.withoutRedis()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("distlock.backend=jdbc", "distlock.jdbc.initialize-schema=always",
					"distlock.jdbc.command-timeout=2s");
		String h2 = "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID();
		return switch (store) {
			case "redis" -> onRedis;
			case "jedis" -> onRedis.withPropertyValues("spring.data.redis.client-type=jedis");
			case "redlock" ->
				onRedis.withPropertyValues("distlock.backend=redlock", "distlock.redlock.longest-lease=10s",
						"distlock.redlock.nodes[0].host=127.0.0.1", "distlock.redlock.nodes[0].port=" + redis.port(),
						"distlock.redlock.nodes[1].host=127.0.0.1", "distlock.redlock.nodes[1].port=" + second.port(),
						"distlock.redlock.nodes[2].host=127.0.0.1", "distlock.redlock.nodes[2].port=" + third.port());
			case "h2" -> onDatabase.withPropertyValues(h2);
			case "connection" -> onDatabase.withPropertyValues(h2, "distlock.jdbc.mode=connection");
			case "postgresql" ->
				onDatabase.withPropertyValues("spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"));
			case "zookeeper" -> Contexts.withoutRedis()
				.withPropertyValues("distlock.backend=zookeeper",
						"distlock.zookeeper.connect-string=" + zooKeeper.connectString());
			default -> Contexts.withoutRedis().withPropertyValues("distlock.backend=local");
		};
	}

	private static void check(String store, ApplicationContext application, ApplicationContext other,
			CountDownLatch end) throws Exception {
		LockRegistry registry = application.getBean(LockRegistry.class);
		LockRegistry elsewhere = (store.equals("local") ? application : other).getBean(LockRegistry.class);
		// The servers of Redlock must first have been running for the longest lease.
		await().ignoreExceptions()
			.untilAsserted(() -> registry.acquire(LockRequest.of("ready").waitTime(Duration.ZERO)).close());
		HeldLock held = registry.acquire(LockRequest.of("held"));
		HeldLock handed = elsewhere.acquire(LockRequest.of("handed"));
		CompletableFuture<HeldLock> waiting = new CompletableFuture<>();
		new Thread(() -> waiting.complete(registry.acquire(LockRequest.of("handed")))).start();
		block(application, registry, end);
		await().during(BLOCKED).atMost(BLOCKED.plusSeconds(30)).until(held::isHeld);
		long start = System.nanoTime();
		try (HeldLock free = registry.acquire(LockRequest.of("free").waitTime(Duration.ofSeconds(30)))) {
			assertThat(free.isHeld()).isTrue();
		}
		long granted = System.nanoTime();
		registry.acquireAsync(LockRequest.of("future")).get(30, TimeUnit.SECONDS).close();
		long completed = System.nanoTime();
		handed.close();
		waiting.get(30, TimeUnit.SECONDS);
		LogFactory.getLog(BlockedThreadsTests.class)
			.info(store + ", blocked for " + BLOCKED + ": held, a free lock after " + millis(granted - start)
					+ " ms, a future after " + millis(completed - granted) + " ms, a released lock after "
					+ millis(System.nanoTime() - completed) + " ms");
		held.close();
	}

	private static long millis(long nanos) {
		return TimeUnit.NANOSECONDS.toMillis(nanos);
	}

	/** Block each kind of thread that runs code of the application. */
	private static void block(ApplicationContext application, LockRegistry registry, CountDownLatch end) {
		Thread test = Thread.currentThread();
		Runnable block = () -> {
			// What is complete already calls back on this thread.
			if (Thread.currentThread() != test) {
				Uninterruptibles.awaitUninterruptibly(end);
			}
		};
		IntStream.range(0, 8).forEach((i) -> {
			registry.acquireAsync(LockRequest.of("callback-" + i)).thenRun(block);
			registry.acquire(LockRequest.of("lost-" + i).leaseTime(Duration.ofSeconds(2))).onLost(block);
			ForkJoinPool.commonPool().execute(block);
		});
		blockClient(application, block);
		application.getBeanProvider(ReactiveStringRedisTemplate.class)
			.ifAvailable((template) -> template.opsForValue().get("any").doOnTerminate(block).subscribe());
	}

	private static void blockClient(ApplicationContext application, Runnable block) {
		application.getBeanProvider(ClientResources.class).ifAvailable((resources) -> {
			blockAll(resources.eventExecutorGroup(), block);
			blockAll(resources.eventLoopGroupProvider().allocate(Transports.eventLoopGroupClass()), block);
		});
	}

	private static void blockAll(EventExecutorGroup threads, Runnable block) {
		StreamSupport.stream(threads.spliterator(), false).forEach((thread) -> thread.execute(block));
	}

	/** Blocks each thread of the library that calls it. */
	private static LockListener blockingListener(CountDownLatch end) {
		Set<String> blocked = Set.of("onAttempted", "onReleased", "onLost", "onRenewed", "onResubscribed");
		return mock(LockListener.class, (call) -> {
			// A caller waits for the listeners of its own attempt.
			boolean ofCaller = call.getArguments().length > 0
					&& call.getArgument(0) instanceof LockListener.Attempted attempt && "future".equals(attempt.key());
			if (blocked.contains(call.getMethod().getName()) && !ofCaller
					&& Thread.currentThread().getName().startsWith("distlock-")) {
				Uninterruptibles.awaitUninterruptibly(end);
			}
			return null;
		});
	}

	/**
	 * An appender that blocks, as on a pipe that nothing reads. One thread of this JVM
	 * writes all lines of the library, so no other test may run meanwhile.
	 */
	@Isolated
	@Nested
	class BlockedLog {

		private static final int LOSSES = 10;

		@ParameterizedTest
		@ValueSource(strings = { "redis", "h2", "zookeeper", "local" })
		void leasesAreRenewedAndLossesReportedWhileTheLogBlocks(String store) {
			CountDownLatch end = new CountDownLatch(1);
			application(store)
				.withPropertyValues("distlock.lease-time=" + LEASE.toMillis() + "ms",
						"distlock.shutdown-grace-period=0s")
				.run((application) -> {
					Runnable unblock = blockLog(end);
					try {
						LockRegistry registry = application.getBean(LockRegistry.class);
						HeldLock held = registry.acquire(LockRequest.of("held"));
						CountDownLatch losses = new CountDownLatch(LOSSES);
						IntStream.range(0, LOSSES)
							.forEach((i) -> registry
								.acquire(LockRequest.of("lost-" + i).leaseTime(Duration.ofSeconds(2)))
								.onLost(losses::countDown));
						assertThat(losses.await(30, TimeUnit.SECONDS)).isTrue();
						await().during(LEASE.plusSeconds(1)).atMost(Duration.ofSeconds(60)).until(held::isHeld);
						held.close();
					}
					finally {
						unblock.run();
					}
				});
		}

		/** The last lines are written before the end of the application. */
		@Test
		void theLinesOfAShutdownAreWrittenBeforeItEnds() {
			StringBuffer written = new StringBuffer();
			Runnable detach = attach(new UnsynchronizedAppenderBase<>() {

				@Override
				protected void append(ILoggingEvent event) {
					written.append(event.getFormattedMessage());
				}

			}, Level.INFO);
			try {
				application("local").withPropertyValues("distlock.shutdown-grace-period=0s")
					.run((application) -> application.getBean(LockRegistry.class).acquire(LockRequest.of("kept")));
				assertThat(written).contains("The shutdown does not wait any longer for locks that are held");
			}
			finally {
				detach.run();
			}
		}

		private static Runnable blockLog(CountDownLatch end) {
			Thread test = Thread.currentThread();
			Runnable detach = attach(new UnsynchronizedAppenderBase<>() {

				@Override
				protected void append(ILoggingEvent event) {
					if (Thread.currentThread() != test) {
						Uninterruptibles.awaitUninterruptibly(end);
					}
				}

			}, Level.DEBUG);
			return () -> {
				end.countDown();
				detach.run();
			};
		}

		private static Runnable attach(UnsynchronizedAppenderBase<ILoggingEvent> appender, Level level) {
			Logger library = (Logger) LoggerFactory.getLogger("io.github.distlock");
			Level before = library.getLevel();
			appender.start();
			library.setLevel(level);
			library.addAppender(appender);
			return () -> {
				library.detachAppender(appender);
				library.setLevel(before);
			};
		}

	}

}
