package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests results whose work begins or continues after the method has returned.
 */
@ExtendWith(OutputCaptureExtension.class)
class ResultTypeCheckTests {

	private static void assertRefused(Class<?> bean, String... problems) {
		assertThatException().isThrownBy(() -> LockedApplication.of(bean).start().close())
			.havingRootCause()
			.isInstanceOf(LockDefinitionException.class)
			.satisfies((ex) -> assertThat(ex.getMessage()).contains(bean.getName() + ".run()").contains(problems));
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsCallable.class, ReturnsTask.class, ReturnsDeferred.class, ReturnsEmitter.class,
			ReturnsEvents.class, ReturnsStreaming.class, VariableIsCallable.class, ClassReturnsCallable.class })
	void aResultWhoseWorkBeginsLaterIsRefusedAtStartUp(Class<?> bean) {
		assertRefused(bean, "after the method has returned", "Return CompletableFuture or Mono");
	}

	@ParameterizedTest
	@ValueSource(classes = { OptionalOfFuture.class, EntityOfMono.class, EntityOfStreaming.class,
			EntityOfCallable.class, ListOfFlux.class, ArrayOfFutures.class, MapOfFutures.class, Nested.class,
			Bounded.class, MonoOfEntityOfFlux.class, OwnList.class })
	void aContainerOfAResultThatCompletesLaterIsRefused(Class<?> bean) {
		assertRefused(bean, "contains a ", "after the method has returned", "Return CompletableFuture or Mono");
	}

	@Test
	void aContainerIsLoggedOnceWhereOnlyTheClassIsAnnotated(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(ClassReturnsList.class).start()) {
			assertThat(context.getBean(Lists.class).run()).isEmpty();
			assertThat(context.getBean(InMemoryLocks.class).events).hasSize(2);
		}
		assertThat(output.getAll().split("contains a CompletableFuture", -1)).hasSize(2);
		assertThat(output).contains("WARN").contains(ClassReturnsList.class.getName() + ".run()");
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
	void tasksInAContainerAreData() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Tasks.class).start()) {
			assertThat(context.getBean(Tasks.class).list()).hasSize(1);
			assertThat(context.getBean(Tasks.class).map()).isEmpty();
			assertThat(context.getBean(Tasks.class).optional()).isEmpty();
		}
	}

	@Test
	void resultsOfUnknownTypesAreLockedUntilTheMethodReturns() {
		LockedApplication.of(Unseen.class).start().close();
	}

	@Test
	void workThatBeginsLaterIsRefusedIfTheDeclaredTypeIsUnknown() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Anything.class).start()) {
			Anything anything = context.getBean(Anything.class);
			for (Object later : List.of((Callable<String>) () -> "later", new DeferredResult<>(), new SseEmitter())) {
				assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> anything.run(later))
					.withMessageContaining("has returned a ");
			}
		}
	}

	static class ReturnsCallable {

		@DistributedLock
		public @Nullable Callable<String> run() {
			return null;
		}

	}

	static class ReturnsTask {

		@DistributedLock
		public @Nullable WebAsyncTask<String> run() {
			return null;
		}

	}

	static class ReturnsDeferred {

		@DistributedLock
		public @Nullable DeferredResult<String> run() {
			return null;
		}

	}

	static class ReturnsEmitter {

		@DistributedLock
		public @Nullable ResponseBodyEmitter run() {
			return null;
		}

	}

	static class ReturnsEvents {

		@DistributedLock
		public @Nullable SseEmitter run() {
			return null;
		}

	}

	static class ReturnsStreaming {

		@DistributedLock
		public @Nullable StreamingResponseBody run() {
			return null;
		}

	}

	abstract static class Base<T> {

		@DistributedLock
		public @Nullable T run() {
			return null;
		}

	}

	static class VariableIsCallable extends Base<Callable<String>> {

	}

	@DistributedLock
	static class ClassReturnsCallable {

		public @Nullable Callable<String> run() {
			return null;
		}

	}

	static class OptionalOfFuture {

		@DistributedLock
		public Optional<CompletableFuture<String>> run() {
			return Optional.empty();
		}

	}

	static class EntityOfMono {

		@DistributedLock
		public @Nullable ResponseEntity<Mono<String>> run() {
			return null;
		}

	}

	static class EntityOfStreaming {

		@DistributedLock
		public @Nullable ResponseEntity<StreamingResponseBody> run() {
			return null;
		}

	}

	static class ListOfFlux {

		@DistributedLock
		public List<Flux<String>> run() {
			return List.of();
		}

	}

	static class ArrayOfFutures {

		@DistributedLock
		public Future<?>[] run() {
			return new Future<?>[0];
		}

	}

	static class MapOfFutures {

		@DistributedLock
		public Map<String, Future<String>> run() {
			return Map.of();
		}

	}

	static class Nested {

		@DistributedLock
		public Optional<List<? extends Collection<Mono<String>>>> run() {
			return Optional.empty();
		}

	}

	static class Bounded {

		@DistributedLock
		public <F extends Future<?>> List<F> run() {
			return List.of();
		}

	}

	static class MonoOfEntityOfFlux {

		@DistributedLock
		public Mono<ResponseEntity<Flux<String>>> run() {
			return Mono.empty();
		}

	}

	static class Futures extends ArrayList<CompletableFuture<String>> {

	}

	static class OwnList {

		@DistributedLock
		public Futures run() {
			return new Futures();
		}

	}

	interface Lists {

		List<CompletableFuture<String>> run();

	}

	@DistributedLock
	static class ClassReturnsList implements Lists {

		@Override
		public List<CompletableFuture<String>> run() {
			return List.of();
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

	static class Tasks {

		@DistributedLock
		public List<Callable<String>> list() {
			return List.of(() -> "later");
		}

		@DistributedLock
		public Map<String, DeferredResult<String>> map() {
			return Map.of();
		}

		@DistributedLock
		public Optional<StreamingResponseBody> optional() {
			return Optional.empty();
		}

	}

	static class EntityOfCallable {

		@DistributedLock
		public @Nullable ResponseEntity<Callable<String>> run() {
			return null;
		}

	}

	static class Unseen {

		@DistributedLock
		public Stream<CompletableFuture<String>> stream() {
			return Stream.of();
		}

		@DistributedLock
		public @Nullable Supplier<String> supplier() {
			return null;
		}

		@DistributedLock
		public @Nullable Iterator<String> iterator() {
			return null;
		}

	}

	static class Anything {

		@DistributedLock("'k'")
		public Object run(Object result) {
			return result;
		}

	}

}
