package io.github.distlock.autoconfigure;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.DistributedLock;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A thousand subscribers on two threads that must not block, over a real Redis.
 */
final class EventLoopChild {

	private static final int SUBSCRIBERS = 1000;

	private static final Queue<String> BLOCKED = new ConcurrentLinkedQueue<>();

	private static final Scheduler LOOPS = Schedulers.newParallel("loop", 2);

	private EventLoopChild() {
	}

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
