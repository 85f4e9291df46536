package io.github.distlock.aop;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests which context of its caller the body of an asynchronous method has, and that it
 * has none of earlier callers.
 */
class CallerIdentityTests {

	/** As Spring Security uses in MODE_INHERITABLETHREADLOCAL. */
	private static final InheritableThreadLocal<String> TENANT = new InheritableThreadLocal<>();

	private @Nullable AnnotationConfigApplicationContext context;

	@AfterEach
	void close() {
		if (this.context != null) {
			this.context.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "platform", "virtual" })
	void theBodyOfAStageDoesNotRunAsAnotherCaller(String threads) throws Exception {
		assumeTrue(threads.equals("platform") || Runtime.version().feature() >= 21, "this Java has no virtual threads");
		Work work = start(threads);
		assertThat(as("alice", () -> work.stage().get(10, TimeUnit.SECONDS).tenant())).isNull();
		for (int i = 0; i < 20; i++) {
			Seen seen = as("bob", () -> work.stage().get(10, TimeUnit.SECONDS));
			assertThat(seen.tenant()).isNull();
			assertThat(seen.thread()).startsWith("distlock-work-");
		}
	}

	@Test
	void theBodyOfAMonoDoesNotRunAsAnotherCaller() throws Exception {
		Work work = start("platform");
		as("alice", () -> work.mono().toFuture().get(10, TimeUnit.SECONDS));
		for (int i = 0; i < 20; i++) {
			assertThat(as("bob", () -> work.mono().toFuture().get(10, TimeUnit.SECONDS)).tenant()).isNull();
		}
	}

	@Test
	void codeThatDependsOnAStageDoesNotRunAsAnotherCaller() throws Exception {
		Work work = start("platform");
		as("alice", () -> work.stage().get(10, TimeUnit.SECONDS));
		CompletableFuture<String> end = new CompletableFuture<>();
		CompletableFuture<String> tenant = as("bob",
				() -> work.until(end).thenApply((value) -> String.valueOf(TENANT.get())));
		as("carol", () -> end.complete("done"));
		assertThat(tenant.get(10, TimeUnit.SECONDS)).isEqualTo("null");
	}

	@Test
	void aThreadThatServesNoCallerIsNotBoundToTheFirstOne() throws Exception {
		Work work = start("platform");
		LockRegistry registry = Objects.requireNonNull(this.context).getBean("localLocks", LockRegistry.class);
		ClassLoader loader = new URLClassLoader("caller", new URL[0], getClass().getClassLoader());
		as("alice", loader, () -> work.stage().get(10, TimeUnit.SECONDS));
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

	private Work start(String threads) {
		this.context = LockedApplication.of(Work.class, LocalStoreApplication.class)
			.with("virtual", threads.equals("virtual"))
			.start();
		return this.context.getBean(Work.class);
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

	private record Seen(@Nullable String tenant, @Nullable ClassLoader classLoader, String thread) {

		static Seen here() {
			Thread current = Thread.currentThread();
			return new Seen(TENANT.get(), current.getContextClassLoader(), current.getName());
		}

	}

	static class Work {

		@DistributedLock("'stage'")
		CompletableFuture<Seen> stage() {
			return CompletableFuture.completedFuture(Seen.here());
		}

		@DistributedLock("'until'")
		CompletableFuture<String> until(CompletableFuture<String> end) {
			return end;
		}

		@DistributedLock("'mono'")
		Mono<Seen> mono() {
			return Mono.just(Seen.here());
		}

	}

}
