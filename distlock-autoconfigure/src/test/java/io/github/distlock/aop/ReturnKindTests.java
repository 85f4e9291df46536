package io.github.distlock.aop;

import java.lang.invoke.MethodHandles;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests results whose work begins or continues after the method has returned.
 */
class ReturnKindTests {

	@ParameterizedTest
	@ValueSource(classes = { WebAsyncTask.class, DeferredResult.class, ResponseBodyEmitter.class, SseEmitter.class,
			StreamingResponseBody.class, Callable.class, Future.class, OwnFuture.class, ConnectableFlux.class })
	void aResultWhoseWorkBeginsLaterOrContinuesInAnUnknownWayIsRefusedAtStartUp(Class<?> result) {
		assertRefused(new ByteBuddy()
			.subclass(TypeDescription.Generic.Builder.parameterizedType(Returning.class, result).build())
			.name(getClass().getPackageName() + ".Returns" + result.getSimpleName())
			.make()
			.load(getClass().getClassLoader(), ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
			.getLoaded());
	}

	@Test
	void aMethodOfALockedClassWhoseWorkBeginsLaterIsRefusedAtStartUp() {
		assertRefused(ClassReturnsCallable.class);
	}

	private static void assertRefused(Class<?> bean) {
		LockedApplication.of(bean)
			.assertRefused(bean.getName() + ".run(", "after the method has returned",
					"Return CompletableFuture, CompletionStage, Mono or Flux");
	}

	@Test
	void aTypeVariableThatIsAPublisherIsLockedUntilItHasCompleted() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Publishing.class).start()) {
			InMemoryLocks locks = context.getBean(InMemoryLocks.class);
			Mono<String> mono = context.getBean(Publishing.class).run(Mono.fromSupplier(() -> {
				locks.events.add("work");
				return "done";
			}));
			assertThat(locks.events).isEmpty();
			assertThat(mono.block()).isEqualTo("done");
			assertThat(locks.events).containsExactly("acquire k", "work", "release k");
		}
	}

	@Test
	void aTypeVariableThatIsAStageIsLockedUntilItIsComplete() throws Exception {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Completing.class).start()) {
			InMemoryLocks locks = context.getBean(InMemoryLocks.class);
			CompletableFuture<String> end = new CompletableFuture<>();
			CompletableFuture<String> result = context.getBean(Completing.class).run(end);
			await().until(() -> locks.events.contains("acquire k"));
			locks.events.add("work");
			end.complete("done");
			assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
			assertThat(locks.events).containsExactly("acquire k", "work", "release k");
		}
	}

	static class OwnFuture extends CompletableFuture<String> {

	}

	@DistributedLock
	static class ClassReturnsCallable {

		public @Nullable Callable<String> run() {
			return null;
		}

	}

	abstract static class Returning<T> {

		@DistributedLock("'k'")
		T run(T result) {
			return result;
		}

	}

	static class Publishing extends Returning<Mono<String>> {

	}

	static class Completing extends Returning<CompletableFuture<String>> {

	}

}
