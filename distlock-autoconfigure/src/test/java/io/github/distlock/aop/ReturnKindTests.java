package io.github.distlock.aop;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests results whose work begins or continues after the method has returned.
 */
class ReturnKindTests {

	@ParameterizedTest
	@ValueSource(classes = { ReturnsCallable.class, VariableIsTask.class, VariableIsDeferred.class,
			VariableIsEmitter.class, VariableIsEvents.class, VariableIsStreaming.class, ClassReturnsCallable.class })
	void aResultWhoseWorkBeginsLaterIsRefusedAtStartUp(Class<?> bean) {
		LockedApplication.of(bean)
			.assertRefused(bean.getName() + ".run()", "after the method has returned",
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
			end.thenRun(() -> locks.events.add("work"));
			end.complete("done");
			assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
			assertThat(locks.events).contains("work").endsWith("release k");
		}
	}

	static class ReturnsCallable {

		@DistributedLock
		public @Nullable Callable<String> run() {
			return null;
		}

	}

	abstract static class Base<T> {

		@DistributedLock
		public @Nullable T run() {
			return null;
		}

	}

	static class VariableIsTask extends Base<WebAsyncTask<String>> {

	}

	static class VariableIsDeferred extends Base<DeferredResult<String>> {

	}

	static class VariableIsEmitter extends Base<ResponseBodyEmitter> {

	}

	static class VariableIsEvents extends Base<SseEmitter> {

	}

	static class VariableIsStreaming extends Base<StreamingResponseBody> {

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
