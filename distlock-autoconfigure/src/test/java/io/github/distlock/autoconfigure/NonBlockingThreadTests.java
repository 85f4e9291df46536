package io.github.distlock.autoconfigure;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A thread that Reactor marks as non-blocking must not wait for a lock, and does not even
 * if the lock is free. Event loops are never blocked: that runs in a separate JVM, since
 * BlockHound rewrites the classes of its JVM.
 */
class NonBlockingThreadTests {

	private final ApplicationContextRunner application = Contexts.withoutRedis()
		.withPropertyValues("distlock.backend=local")
		.withBean(Stock.class);

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

}
