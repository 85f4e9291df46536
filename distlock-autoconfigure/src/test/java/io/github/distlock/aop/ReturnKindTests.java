package io.github.distlock.aop;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests results whose work begins or continues after the method has returned.
 */
@ExtendWith(OutputCaptureExtension.class)
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
	void aResultThatIsConsumedWithoutTheLockIsLogged(CapturedOutput output) {
		LockedApplication.of(Consumed.class).start().close();
		assertThat(output).contains(Consumed.class.getName() + ".stream() is on a method that returns IntStream")
			.contains(Consumed.class.getName() + ".iterator() is on a method that returns Iterator")
			.contains(Consumed.class.getName() + ".supplier() is on a method that returns Supplier")
			.contains("which its caller consumes after the lock was released")
			.doesNotContain(Consumed.class.getName() + ".list()");
	}

	@Test
	void workThatBeginsLaterIsRefusedIfTheDeclaredTypeIsUnknown() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Anything.class).start()) {
			Anything anything = context.getBean(Anything.class);
			List<String> events = context.getBean(InMemoryLocks.class).events;
			for (Object later : List.of((Callable<String>) () -> "later", new DeferredResult<>(), new SseEmitter(),
					new CompletableFuture<>(), Mono.just("later"), Flux.just("later"))) {
				events.clear();
				assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> anything.run(later))
					.withMessageContaining("Anything.run(Object)")
					.withMessageContaining("has returned a " + later.getClass().getSimpleName());
				assertThat(events).containsExactly("acquire k", "release k");
			}
			CompletableFuture<String> done = CompletableFuture.completedFuture("done");
			assertThat(anything.run(done)).isSameAs(done);
			assertThat(anything.run("value")).isEqualTo("value");
		}
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

	@DistributedLock("'k'")
	static class Consumed {

		public IntStream stream() {
			return IntStream.empty();
		}

		public Iterator<String> iterator() {
			return List.<String>of().iterator();
		}

		public Supplier<String> supplier() {
			return () -> "";
		}

		public List<String> list() {
			return List.of();
		}

	}

	static class Anything {

		@DistributedLock("'k'")
		public Object run(Object result) {
			return result;
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
