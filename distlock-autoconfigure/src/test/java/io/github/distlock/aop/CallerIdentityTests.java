package io.github.distlock.aop;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.LocalStoreApplication.Calls;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
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

	@AutoClose
	private @Nullable AnnotationConfigApplicationContext context;

	@ParameterizedTest
	@ValueSource(strings = { "platform", "virtual" })
	void theBodyOfAStageDoesNotRunAsAnotherCaller(String threads) throws Exception {
		assumeTrue(threads.equals("platform") || Runtime.version().feature() >= 21, "this Java has no virtual threads");
		Calls calls = start(threads);
		assertThat(as("alice", () -> calls.stage("stage", Seen::later).get(10, TimeUnit.SECONDS).tenant())).isNull();
		for (int i = 0; i < 20; i++) {
			Seen seen = as("bob", () -> calls.stage("stage", Seen::later).get(10, TimeUnit.SECONDS));
			assertThat(seen.tenant()).isNull();
			assertThat(seen.thread()).startsWith("distlock-work-");
		}
	}

	@Test
	void theBodyOfAMonoDoesNotRunAsAnotherCaller() throws Exception {
		Calls calls = start("platform");
		as("alice", () -> calls.mono("mono", () -> Mono.just(Seen.here())).toFuture().get(10, TimeUnit.SECONDS));
		for (int i = 0; i < 20; i++) {
			assertThat(as("bob",
					() -> calls.mono("mono", () -> Mono.just(Seen.here())).toFuture().get(10, TimeUnit.SECONDS))
				.tenant()).isNull();
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

}
