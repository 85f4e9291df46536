package io.github.distlock.autoconfigure;

import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A thread that Reactor marks as non-blocking must not wait for a lock, and does not even
 * if the lock is free. Event loops are never blocked: that runs in a separate JVM, since
 * BlockHound rewrites the classes of its JVM. The threads of a started application
 * inherit nothing from the thread of the first call, and only the context class loader of
 * the thread that started the application.
 */
class NonBlockingThreadTests {

	private final ApplicationContextRunner application = Contexts.local().withBean(Stock.class);

	private static <T> T onEventLoop(Callable<T> call) {
		return Objects.requireNonNull(Mono.fromCallable(call).subscribeOn(Schedulers.parallel()).block());
	}

	private static void assertRefused(Callable<?> call) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> onEventLoop(call))
			.withMessageContainingAll("Lock 'key'", "on thread 'parallel-", "return Mono, Flux or CompletableFuture")
			.withMessageContaining("subscribeOn(Schedulers.boundedElastic())");
	}

	@Test
	void eachAcquisitionThatBlocksIsRefusedAlthoughTheLockIsFree() {
		this.application.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockRequest request = LockRequest.of("key");
			assertRefused(() -> registry.acquire(request));
			assertRefused(() -> registry.tryAcquire(request));
			assertRefused(() -> registry.execute(request, () -> "done"));
			assertRefused(() -> registry.obtain("key").tryLock());
			assertRefused(() -> registry.obtain("key").tryLock(1, TimeUnit.SECONDS));
			assertRefused(() -> {
				registry.obtain("key").lock();
				return "locked";
			});
			assertRefused(() -> {
				registry.obtain("key").lockInterruptibly();
				return "locked";
			});
		});
	}

	@Test
	void aLockedMethodWithAPlainResultIsRefusedAndItsFallbackIsNotCalled() {
		this.application.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			assertRefused(() -> stock.deduct("key"));
			assertThat(onEventLoop(() -> stock.deductLater("key").toFuture()).get()).isEqualTo("deducted");
		});
	}

	@Test
	void aReentryAndAWaitWithoutAThreadAreNoSuchCalls() {
		this.application.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			HeldLock lock = onEventLoop(() -> registry.acquireAsync(LockRequest.of("key"))).get();
			assertThat(onEventLoop(() -> {
				try (LockContext.Scope scope = LockContext.open(lock)) {
					return registry.acquire(LockRequest.of("key"));
				}
			}).isHeld()).isTrue();
		});
	}

	private static final List<String> MAY_BE_REWRITTEN = List.of("-XX:+AllowRedefinitionToAddDeleteMethods",
			"-XX:+EnableDynamicAgentLoading", "-Djdk.attach.allowAttachSelf=true");

	@Test
	void aThousandSubscribersOfOneKeyBlockNoEventLoop() {
		try (RedisTestServer redis = RedisTestServer.start();
				ChildJvm child = ChildJvm.start(MAY_BE_REWRITTEN, EventLoopChild.class,
						Integer.toString(redis.port()))) {
			assertThat(child.expect("canary ")).isEqualTo("java.lang.Thread.sleep");
			assertThat(child.expect("blocked ")).isEqualTo("[]");
			assertThat(child.expect("entered ")).isEqualTo("1000 of 1000, 0 at the same time, on 2 event loops");
		}
	}

	static class Stock {

		@DistributedLock(key = "#sku", fallback = "skip")
		public String deduct(String sku) {
			return "deducted";
		}

		@SuppressWarnings("unused")
		String skip(String sku, Exception problem) {
			return "skipped";
		}

		@DistributedLock(key = "#sku")
		public Mono<String> deductLater(String sku) {
			return Mono.fromSupplier(() -> "deducted");
		}

	}

	/** A thousand subscribers on two threads that must not block, over a real Redis. */
	static final class EventLoopChild {

		private static final int SUBSCRIBERS = 1000;

		private static final Queue<String> BLOCKED = new ConcurrentLinkedQueue<>();

		private static final Scheduler LOOPS = Schedulers.newParallel("loop", 2);

		public static void main(String[] args) {
			PrintStream out = System.out;
			BlockHound.install((builder) -> builder.blockingMethodCallback((method) -> {
				BLOCKED.add(method + " at " + Arrays.toString(Thread.currentThread().getStackTrace()));
				throw new BlockingOperationError(method);
			}));
			out.println("started");
			out.println("canary " + canary());
			try {
				Contexts.withRedis()
					.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + args[0])
					.withBean(Counter.class)
					.run((context) -> {
						Counter counter = context.getBean(Counter.class);
						long complete = Flux.range(0, SUBSCRIBERS)
							.flatMap((number) -> counter.count().subscribeOn(LOOPS), SUBSCRIBERS)
							.count()
							.blockOptional(Duration.ofSeconds(60))
							.orElseThrow();
						out.println("blocked " + BLOCKED);
						out.println("entered " + counter.report(complete));
					});
			}
			finally {
				LOOPS.dispose();
			}
		}

		/** Reports of threads that blocked. */
		private static String canary() {
			Mono.fromRunnable(EventLoopChild::sleep).subscribeOn(LOOPS).onErrorComplete().block();
			String heard = String.valueOf(BLOCKED.poll());
			BLOCKED.clear();
			return heard.substring(0, heard.indexOf(" at "));
		}

		private static void sleep() {
			try {
				Thread.sleep(1);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		static class Counter {

			private final AtomicInteger overlaps = new AtomicInteger();

			private final Set<String> threads = ConcurrentHashMap.newKeySet();

			private final AtomicInteger inside = new AtomicInteger();

			/** Guarded only by the lock under test. */
			private volatile int entered;

			@DistributedLock(key = "'hot'", waitTime = "60s")
			Mono<Integer> count() {
				return Mono.fromCallable(() -> {
					if (this.inside.incrementAndGet() > 1) {
						this.overlaps.incrementAndGet();
					}
					return this.entered;
				}).publishOn(LOOPS).map((before) -> {
					this.threads.add(Thread.currentThread().getName());
					this.entered = before + 1;
					this.inside.decrementAndGet();
					return before;
				});
			}

			String report(long complete) {
				return this.entered + " of " + complete + ", " + this.overlaps + " at the same time, on "
						+ this.threads.size() + " event loops";
			}

		}

	}

	private static final InheritableThreadLocal<String> TENANT = new InheritableThreadLocal<>();

	private final ClassLoader starterClassLoader = loader("starter");

	private final ClassLoader callerClassLoader = loader("caller");

	private final Set<String> tenantsOfListener = ConcurrentHashMap.newKeySet();

	@Test
	void theThreadsOfRedisLocksServeNoCaller() throws Exception {
		try (RedisTestServer server = RedisTestServer.start()) {
			verify(Contexts.withRedis().withPropertyValues("spring.data.redis.port=" + server.port()), "distlock-inbox",
					"distlock-renewal-");
		}
	}

	@Test
	void theThreadsOfJdbcLocksServeNoCaller() throws Exception {
		verify(Contexts.withoutRedis()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("distlock.backend=jdbc", "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID()),
				"distlock-jdbc-", "distlock-jdbc-timer-", "distlock-renewal-");
	}

	@Test
	void theThreadsOfZooKeeperLocksServeNoCaller() throws Exception {
		try (ZooKeeperTestServer server = ZooKeeperTestServer.start()) {
			verify(Contexts.withoutRedis()
				.withPropertyValues("distlock.backend=zookeeper",
						"distlock.zookeeper.connect-string=" + server.connectString()),
					"distlock-zookeeper");
		}
	}

	private void verify(ApplicationContextRunner application, String... ofTheStore) throws Exception {
		as("starter", this.starterClassLoader,
				() -> application
					.withPropertyValues("distlock.lease-time=9s", "distlock.redis.command-timeout=2500ms",
							"distlock.jdbc.command-timeout=2500ms", "distlock.enabled=true")
					.withBean(LockListener.class, this::listener)
					.run((context) -> {
						assertThat(context).hasNotFailed();
						LockRegistry registry = context.getBean(LockRegistry.class);
						verifyThreads(registry, ofTheStore);
						context.getSourceApplicationContext().stop();
						context.getSourceApplicationContext().start();
						verifyThreads(registry, ofTheStore);
					}));
	}

	private void verifyThreads(LockRegistry registry, String... ofTheStore) throws Exception {
		as("alice", this.callerClassLoader, () -> {
			try (HeldLock lock = registry.acquire(LockRequest.of("origin"))) {
				CompletableFuture<HeldLock> next = registry
					.acquireAsync(LockRequest.of("origin").waitTime(Duration.ofSeconds(30)));
				await().until(
						() -> List.of(ofTheStore).stream().allMatch((name) -> threads(name, this.starterClassLoader)));
				assertThat(lock.isHeld()).isTrue();
				return next;
			}
		}).get(30, TimeUnit.SECONDS).close();
		assertThat(threads("distlock-timer-", this.starterClassLoader)).isTrue();
		assertThat(threads("distlock-callback-", this.starterClassLoader)).isTrue();
		assertThat(Thread.getAllStackTraces().keySet()).filteredOn((thread) -> thread.getName().startsWith("distlock-"))
			.noneMatch((thread) -> thread.getContextClassLoader() == this.callerClassLoader);
		assertThat(this.tenantsOfListener).doesNotContain("alice", "starter");
	}

	private LockListener listener() {
		return new LockListener() {

			@Override
			public void onRenewed(Renewed event) {
				NonBlockingThreadTests.this.tenantsOfListener.add(String.valueOf(TENANT.get()));
			}

		};
	}

	private static boolean threads(String name, ClassLoader loader) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> thread.getName().startsWith(name) && thread.getContextClassLoader() == loader);
	}

	private static ClassLoader loader(String name) {
		return new URLClassLoader(name, new URL[0], NonBlockingThreadTests.class.getClassLoader());
	}

	private static <T> T as(String tenant, ClassLoader loader, Callable<T> call) throws Exception {
		FutureTask<T> task = new FutureTask<>(() -> {
			TENANT.set(tenant);
			return call.call();
		});
		Thread thread = new Thread(task, tenant);
		thread.setContextClassLoader(loader);
		thread.start();
		return task.get(60, TimeUnit.SECONDS);
	}

}
