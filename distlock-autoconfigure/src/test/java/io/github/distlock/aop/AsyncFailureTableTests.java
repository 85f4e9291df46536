package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockException;
import io.github.distlock.LockFailure;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.OnFailure;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the table of docs/async.md: return type, failure policy, kind of proxy.
 */
class AsyncFailureTableTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			stage | throw    | fails: LockNotAcquiredException | fails: LockBackendException
			stage | skip     | [empty]                         | fails: LockBackendException
			stage | fallback | [instead of it]                 | fails: LockBackendException
			stage | handler  | [handled late]                  | [handled down]
			mono  | throw    | fails: LockNotAcquiredException | fails: LockBackendException
			mono  | skip     | []                              | fails: LockBackendException
			mono  | fallback | [instead of it]                 | fails: LockBackendException
			mono  | handler  | [handled late]                  | [handled down]
			flux  | throw    | fails: LockNotAcquiredException | fails: LockBackendException
			flux  | skip     | []                              | fails: LockBackendException
			flux  | fallback | [instead of it]                 | fails: LockBackendException
			flux  | handler  | [handled late]                  | [handled down]
			""")
	void withoutItsLockACallGets(String type, String policy, String taken, String down) {
		for (Class<?> proxies : List.of(JdkProxies.class, ClassProxies.class)) {
			LockedApplication application = LockedApplication.of(proxies, Table.class);
			if (policy.equals("handler")) {
				application.with((context) -> context.registerBean(Handler.class));
			}
			try (AnnotationConfigApplicationContext context = application.start()) {
				InMemoryLocks locks = context.getBean(InMemoryLocks.class);
				Calls calls = context.getBean(Calls.class);
				String method = policy.equals("handler") ? "throw" : policy;
				assertThat(outcome(calls, type, method)).isEqualTo("[ran]");
				locks.taken.add("k");
				assertThat(outcome(calls, type, method)).isEqualTo(taken);
				locks.failure = new LockBackendException("down");
				assertThat(outcome(calls, type, method)).isEqualTo(down);
				assertThat(locks.events).containsExactly("acquire k", "release k");
			}
		}
	}

	private static String outcome(Calls calls, String type, String policy) {
		List<Object> elements = new ArrayList<>();
		try {
			Method method = Calls.class.getMethod(policy + StringUtils.capitalize(type), String.class);
			ReflectionUtils.makeAccessible(method);
			Object result = ReflectionUtils.invokeMethod(method, calls, "x");
			if (result instanceof CompletionStage<?> stage) {
				Optional<?> value = (Optional<?>) stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
				elements.add(value.isPresent() ? value.get() : "empty");
			}
			else {
				elements.addAll(Flux.from((Publisher<?>) Objects.requireNonNull(result))
					.collectList()
					.toFuture()
					.get(10, TimeUnit.SECONDS));
			}
		}
		catch (Exception ex) {
			assertThat(ex.getCause()).isInstanceOf(LockException.class);
			return "fails: " + Objects.requireNonNull(ex.getCause()).getClass().getSimpleName();
		}
		return elements.toString();
	}

	interface Calls {

		@DistributedLock("'k'")
		default CompletionStage<Optional<String>> throwStage(String id) {
			return CompletableFuture.completedFuture(Optional.of("ran"));
		}

		@DistributedLock(key = "'k'", onFailure = OnFailure.SKIP)
		default CompletionStage<Optional<String>> skipStage(String id) {
			return throwStage(id);
		}

		@DistributedLock(key = "'k'", fallback = "insteadStage")
		default CompletionStage<Optional<String>> fallbackStage(String id) {
			return throwStage(id);
		}

		@DistributedLock("'k'")
		default Mono<String> throwMono(String id) {
			return Mono.just("ran");
		}

		@DistributedLock(key = "'k'", onFailure = OnFailure.SKIP)
		default Mono<String> skipMono(String id) {
			return throwMono(id);
		}

		@DistributedLock(key = "'k'", fallback = "insteadMono")
		default Mono<String> fallbackMono(String id) {
			return throwMono(id);
		}

		@DistributedLock("'k'")
		default Flux<String> throwFlux(String id) {
			return Flux.just("ran");
		}

		@DistributedLock(key = "'k'", onFailure = OnFailure.SKIP)
		default Flux<String> skipFlux(String id) {
			return throwFlux(id);
		}

		@DistributedLock(key = "'k'", fallback = "insteadFlux")
		default Flux<String> fallbackFlux(String id) {
			return throwFlux(id);
		}

	}

	static class Table implements Calls {

		CompletionStage<Optional<String>> insteadStage(String id, LockNotAcquiredException problem) {
			return CompletableFuture.completedFuture(Optional.of("instead of it"));
		}

		Mono<String> insteadMono(String id) {
			return Mono.just("instead of it");
		}

		Flux<String> insteadFlux(String id) {
			return Flux.just("instead of it");
		}

	}

	static class Handler implements LockFailureHandler {

		@Override
		public Object notAcquired(LockFailure failure) {
			return result(failure, "handled late");
		}

		@Override
		public Object storeFailed(LockFailure failure) {
			return result(failure, "handled down");
		}

		private static Object result(LockFailure failure, String value) {
			Class<?> type = failure.method().getReturnType();
			if (type == Mono.class) {
				return Mono.just(value);
			}
			return (type == Flux.class) ? Flux.just(value) : CompletableFuture.completedFuture(Optional.of(value));
		}

	}

	@EnableAspectJAutoProxy
	static class JdkProxies {

	}

	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class ClassProxies {

	}

}
