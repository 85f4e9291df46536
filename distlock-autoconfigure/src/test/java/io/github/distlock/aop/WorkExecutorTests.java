package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.aop.LocalStoreApplication.Calls;
import io.github.distlock.testing.Unchecked;
import io.micrometer.context.ContextRegistry;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests the work of stages on executors that are full, shut down or throw exceptions.
 */
class WorkExecutorTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	@Test
	void anExecutorThatRejectsTheWorkLeavesNothingLocked() {
		assertThat(failure((task) -> {
			throw new RejectedExecutionException("full");
		})).isInstanceOf(RejectedExecutionException.class);
	}

	@Test
	void aTaskDecoratorThatThrowsLeavesNothingLocked() {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("decorated-");
		executor.setTaskDecorator((task) -> {
			throw new IllegalStateException("no request");
		});
		assertThat(failure(executor)).hasMessage("no request");
	}

	@Test
	void aContextThatCannotBeRestoredLeavesNothingLocked() {
		ContextRegistry.getInstance().registerThreadLocalAccessor("broken", () -> "value", (value) -> {
			throw new IllegalStateException("no tenant");
		}, () -> {
		});
		try {
			assertThat(failure((task) -> new Thread(task).start())).hasMessage("no tenant");
		}
		finally {
			ContextRegistry.getInstance().removeThreadLocalAccessor("broken");
		}
	}

	@Test
	void aSchedulerHookThatThrowsLeavesNothingLocked() {
		Schedulers.onScheduleHook("broken", (task) -> {
			throw new IllegalStateException("no trace");
		});
		try (AnnotationConfigApplicationContext context = start(Runnable::run)) {
			assertThat(
					catchThrowable(() -> context.getBean(Work.class).mono("hook").toFuture().get(10, TimeUnit.SECONDS)))
				.hasRootCauseMessage("no trace");
			assertThat(isFree(context, "hook")).isTrue();
		}
		finally {
			Schedulers.resetOnScheduleHook("broken");
		}
	}

	@Test
	void noThreadWaitsForWhatAnotherOneFinds() {
		CompletableFuture<String> late = new CompletableFuture<>();
		AtomicInteger searches = new AtomicInteger();
		Supplier<String> cached = LockEnvironment
			.cached(() -> (searches.incrementAndGet() == 1) ? late.join() : "found");
		CompletableFuture<String> first = CompletableFuture.supplyAsync(cached, (task) -> new Thread(task).start());
		await().until(() -> searches.get() == 1);
		assertThat(CompletableFuture.supplyAsync(cached, (task) -> new Thread(task).start())).succeedsWithin(PATIENCE)
			.isEqualTo("found");
		late.complete("late");
		assertThat(first.join()).isEqualTo(cached.get()).isEqualTo("found");
	}

	@Test
	void workThatIsCancelledBeforeItBeginsLeavesNothingLocked() throws Exception {
		BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
		try (AnnotationConfigApplicationContext context = start(tasks::add)) {
			CompletableFuture<String> result = context.getBean(Work.class).held("cancelled");
			Runnable task = Objects.requireNonNull(tasks.poll(10, TimeUnit.SECONDS));
			result.cancel(false);
			task.run();
			await().until(() -> isFree(context, "cancelled"));
		}
	}

	@Test
	void anExecutorThatFailsAfterTheWorkHasBegunDoesNotReleaseItsLock() throws Exception {
		CountDownLatch thrown = new CountDownLatch(1);
		CompletableFuture<String> end = new CompletableFuture<>();
		try (AnnotationConfigApplicationContext context = start((task) -> {
			task.run();
			thrown.countDown();
			throw new IllegalStateException("after the work has begun");
		})) {
			CompletableFuture<String> result = context.getBean(Calls.class).stage("begun", () -> end);
			awaitZero(thrown);
			assertThat(catchThrowable(() -> result.get(100, TimeUnit.MILLISECONDS)))
				.isInstanceOf(TimeoutException.class);
			assertThat(isFree(context, "begun")).isFalse();
			end.complete("done");
			assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		}
	}

	@Test
	void noCodeOfTheApplicationRunsOnAThreadOfTheRegistry() throws Exception {
		AtomicReference<String> submitter = new AtomicReference<>();
		try (AnnotationConfigApplicationContext context = start((task) -> {
			submitter.set(Thread.currentThread().getName());
			new Thread(task, "application").start();
		})) {
			CompletableFuture<String> end = new CompletableFuture<>();
			CompletableFuture<String> result = context.getBean(Calls.class).stage("threads", () -> end);
			CompletableFuture<String> dependent = result.thenApply((thread) -> Thread.currentThread().getName());
			await().until(() -> submitter.get() != null);
			assertThat(submitter.get()).startsWith("distlock-work-");
			end.complete("done");
			assertThat(dependent.get(10, TimeUnit.SECONDS)).startsWith("distlock-work-");
			assertThat(context.getBean(Work.class).thread("threads").get(10, TimeUnit.SECONDS))
				.isEqualTo("application");
		}
	}

	private static Throwable failure(Executor executor) {
		try (AnnotationConfigApplicationContext context = start(executor)) {
			CompletableFuture<String> result = context.getBean(Work.class).held("refused");
			Throwable thrown = catchThrowable(() -> result.get(20, TimeUnit.SECONDS));
			assertThat(thrown).isInstanceOf(ExecutionException.class);
			assertThat(isFree(context, "refused")).isTrue();
			return Objects.requireNonNull(thrown.getCause());
		}
	}

	@Test
	void callersThatBlockAllThreadsOfTheApplicationDoNotBlockTheirOwnWork() throws Exception {
		ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
		pool.setCorePoolSize(2);
		pool.initialize();
		try (AnnotationConfigApplicationContext context = LockedApplication
			.of(Calls.class, Work.class, LocalStoreApplication.class)
			.with((application) -> application.getBeanFactory().registerSingleton("applicationTaskExecutor", pool))
			.start()) {
			CountDownLatch both = new CountDownLatch(2);
			List<CompletableFuture<String>> callers = IntStream.range(0, 2)
				.mapToObj((number) -> CompletableFuture.supplyAsync(() -> {
					both.countDown();
					awaitZero(both);
					return context.getBean(Work.class).thread("own-" + number).join();
				}, pool))
				.toList();
			for (CompletableFuture<String> caller : callers) {
				assertThat(caller.get(20, TimeUnit.SECONDS)).startsWith("distlock-work-");
			}
		}
		finally {
			pool.shutdown();
		}
	}

	private static void awaitZero(CountDownLatch latch) {
		assertThat(Unchecked.<Boolean>call(() -> latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))).isTrue();
	}

	private static AnnotationConfigApplicationContext start(Executor executor) {
		return LockedApplication.of(Calls.class, Work.class, LocalStoreApplication.class)
			.with("executor", "named")
			.with((context) -> context.getBeanFactory().registerSingleton("named", executor))
			.start();
	}

	private static boolean isFree(AnnotationConfigApplicationContext context, String key) {
		return LocalStoreApplication.isFree(context.getBean("localLocks", LockRegistry.class), key);
	}

	static class Work {

		@DistributedLock(key = "#key", minHold = "1m")
		CompletableFuture<String> held(String key) {
			throw new IllegalStateException("to be refused before");
		}

		@DistributedLock(key = "#key", minHold = "1m")
		Mono<String> mono(String key) {
			return Mono.never();
		}

		@DistributedLock(key = "#key")
		CompletableFuture<String> thread(String key) {
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

	}

}
