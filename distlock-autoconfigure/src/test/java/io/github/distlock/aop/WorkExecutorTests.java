package io.github.distlock.aop;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import com.google.common.util.concurrent.Uninterruptibles;
import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.LocalStoreApplication.Calls;
import io.micrometer.context.ContextRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests the threads of later work: executors that are full, shut down or throw
 * exceptions, and which context of its caller the body of an asynchronous method has:
 * none of earlier callers.
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
			assertThat(Uninterruptibles.awaitUninterruptibly(thrown, PATIENCE)).isTrue();
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
					assertThat(Uninterruptibles.awaitUninterruptibly(both, PATIENCE)).isTrue();
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

	private static AnnotationConfigApplicationContext start(Executor executor) {
		return LockedApplication.of(Calls.class, Work.class, LocalStoreApplication.class)
			.with("executor", "named")
			.with((context) -> context.getBeanFactory().registerSingleton("named", executor))
			.start();
	}

	private static boolean isFree(AnnotationConfigApplicationContext context, String key) {
		return LocalStoreApplication.isFree(context.getBean("localLocks", LockRegistry.class), key);
	}

	/** As Spring Security uses in MODE_INHERITABLETHREADLOCAL. */
	private static final InheritableThreadLocal<String> TENANT = new InheritableThreadLocal<>();

	@AutoClose
	private @Nullable AnnotationConfigApplicationContext context;

	@ParameterizedTest
	@CsvSource({ "stage, platform", "stage, virtual", "mono, platform" })
	void theBodyDoesNotRunAsAnotherCaller(String kind, String threads) throws Exception {
		assumeTrue(threads.equals("platform") || Runtime.version().feature() >= 21, "this Java has no virtual threads");
		Calls calls = start(threads);
		Callable<Seen> call = () -> (kind.equals("stage") ? calls.stage("body", Seen::later)
				: calls.mono("body", () -> Mono.just(Seen.here())).toFuture())
			.get(10, TimeUnit.SECONDS);
		assertThat(as("alice", call).tenant()).isNull();
		for (int i = 0; i < 20; i++) {
			Seen seen = as("bob", call);
			assertThat(seen.tenant()).isNull();
			assertThat(seen.thread()).startsWith(kind.equals("stage") ? "distlock-work-" : "distlock-reactive-");
		}
	}

	@Test
	void codeThatDependsOnAStageDoesNotRunAsAnotherCaller() throws Exception {
		Calls calls = start("platform");
		as("alice", () -> calls.stage("stage", Seen::later).get(10, TimeUnit.SECONDS));
		CompletableFuture<String> end = new CompletableFuture<>();
		CompletableFuture<String> tenant = as("bob",
				() -> calls.stage("until", () -> end).thenApply((value) -> String.valueOf(TENANT.get())));
		as("carol", () -> end.complete("done"));
		assertThat(tenant.get(10, TimeUnit.SECONDS)).isEqualTo("null");
	}

	@Test
	void aThreadThatServesNoCallerIsNotBoundToTheFirstOne() throws Exception {
		Calls calls = start("platform");
		LockRegistry registry = Objects.requireNonNull(this.context).getBean("localLocks", LockRegistry.class);
		ClassLoader loader = new URLClassLoader("caller", new URL[0], getClass().getClassLoader());
		as("alice", loader, () -> calls.stage("stage", Seen::later).get(10, TimeUnit.SECONDS));
		CompletableFuture<HeldLock> waiting = as("alice", loader, () -> {
			try (HeldLock held = registry.acquire(LockRequest.of("taken"))) {
				assertThat(held.isHeld()).isTrue();
				return registry.acquireAsync(LockRequest.of("taken"));
			}
		});
		waiting.get(10, TimeUnit.SECONDS).close();
		for (Thread thread : Thread.getAllStackTraces().keySet()) {
			if (thread.getName().startsWith("distlock-")) {
				assertThat(thread.getContextClassLoader()).as(thread.getName()).isNotSameAs(loader);
			}
		}
	}

	private Calls start(String threads) {
		this.context = LockedApplication.of(Calls.class, LocalStoreApplication.class)
			.with("virtual", threads.equals("virtual"))
			.start();
		return this.context.getBean(Calls.class);
	}

	private <T> T as(String tenant, Callable<T> call) throws Exception {
		return as(tenant, getClass().getClassLoader(), call);
	}

	/** Run a call as a request of this tenant, on a new thread. */
	private static <T> T as(String tenant, ClassLoader loader, Callable<T> call) throws Exception {
		FutureTask<T> request = new FutureTask<>(() -> {
			TENANT.set(tenant);
			return call.call();
		});
		Thread thread = new Thread(request, "request-of-" + tenant);
		thread.setContextClassLoader(loader);
		thread.start();
		return request.get(30, TimeUnit.SECONDS);
	}

	private record Seen(@Nullable String tenant, String thread) {

		static Seen here() {
			return new Seen(TENANT.get(), Thread.currentThread().getName());
		}

		static CompletableFuture<Seen> later() {
			return CompletableFuture.completedFuture(here());
		}

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
