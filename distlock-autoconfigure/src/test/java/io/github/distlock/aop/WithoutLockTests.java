package io.github.distlock.aop;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockFailure;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.OnFailure;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.implementation.ExceptionMethod;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.implementation.StubMethod;
import net.bytebuddy.matcher.ElementMatchers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.Mockito.mock;

/**
 * Tests what the caller gets without its lock, for each result, policy and kind of proxy:
 * the table of {@code docs/annotation.md}, and what is different for asynchronous results
 * and for other failures.
 */
class WithoutLockTests {

	private static final Path PAGE = Path.of("..", "docs", "annotation.md");

	private static final String HEAD = "| result | policy | the caller gets |";

	/** In the form of the table of the page, with the reason before. */
	private static final String FURTHER = """
			| taken       | `CompletionStage`, `Mono`, `Flux`           | `THROW`                       | `LockNotAcquiredException`
			| taken       | `CompletionStage`, `Mono`, `Flux`           | `SKIP`                        | an empty one
			| taken       | `CompletionStage`, `Mono`, `Flux`           | `fallback`, `handler`, `both` | what it returns
			| interrupted | `void`, `String`, `CompletionStage`, `Mono` | `THROW`, `SKIP`, `fallback`   | `LockNotAcquiredException`
			| down        | `void`, `String`                            | `THROW`, `SKIP`, `fallback`   | `LockBackendException`
			| down        | `CompletionStage`, `Mono`, `Flux`           | `THROW`, `SKIP`, `fallback`   | `LockBackendException`
			| down        | `String`, `CompletionStage`, `Mono`, `Flux` | `handler`                     | `LockBackendException`
			| down        | `String`, `CompletionStage`, `Mono`, `Flux` | `both`                        | what it returns
			""";

	/** The result of fallbacks and handlers. */
	private static final Map<Class<?>, Object> OTHERS = Map.of(int.class, 7, String.class, "other", List.class,
			List.of("other"), CompletionStage.class, CompletableFuture.completedFuture(Optional.of("other")),
			Mono.class, Mono.just("other"), Flux.class, Flux.just("other"));

	private static final AtomicInteger generated = new AtomicInteger();

	/** One for each reason, result, policy and kind of proxy. */
	static Stream<Arguments> cells() throws IOException {
		List<String> lines = Files.readAllLines(PAGE);
		Stream<String> ofPage = lines.subList(lines.indexOf(HEAD) + 2, lines.size())
			.stream()
			.takeWhile((line) -> line.startsWith("|"));
		return Stream.concat(ofPage.map((line) -> "| taken " + line), FURTHER.lines())
			.map((line) -> line.replace("`", "").split("\\|"))
			.flatMap((row) -> cells(row[2])
				.flatMap((result) -> cells(row[3]).flatMap((policy) -> Stream.of("CGLIB", "JDK")
					.map((proxy) -> Arguments.of(row[1].trim(), result, policy, row[4].trim(), proxy)))));
	}

	private static Stream<String> cells(String list) {
		return Arrays.stream(list.split(",")).map(String::trim);
	}

	@ParameterizedTest(name = "{0}: {1} {2} -> {3} ({4})")
	@MethodSource("cells")
	void eachCellOfTheTableIsTrue(String reason, String result, String policy, String expected, String proxy)
			throws Exception {
		LockedApplication application = application(result, policy, proxy);
		if (expected.equals("refused at startup")) {
			assertThat(catchThrowable(() -> application.start().close())).hasStackTraceContaining("SKIP")
				.hasRootCauseInstanceOf(LockDefinitionException.class)
				.hasStackTraceContaining("is on a method that returns ");
			return;
		}
		try (AnnotationConfigApplicationContext context = application.start()) {
			InMemoryLocks locks = context.getBean(InMemoryLocks.class);
			locks.taken.add("k");
			locks.failure = switch (reason) {
				case "down" -> new LockBackendException("down");
				case "interrupted" -> new LockNotAcquiredException("interrupted", new InterruptedException());
				default -> null;
			};
			Object bean = context.getBean("bean");
			assertThat(AopUtils.isCglibProxy(bean)).isEqualTo(proxy.equals("CGLIB"));
			assertThat(outcome(bean, locks.failure)).isEqualTo(expected);
			assertThat(locks.requests).hasSize(1);
			assertThat(locks.events).isEmpty();
		}
	}

	/** An application with a bean whose only method has this result and policy. */
	private static LockedApplication application(String result, String policy, String proxy) {
		Class<?> bean = bean(type(result), policy);
		LockedApplication application = LockedApplication.of().with((context) -> context.registerBean("bean", bean));
		if (proxy.equals("CGLIB")) {
			application.with(AopConfigUtils::forceAutoProxyCreatorToUseClassProxying);
		}
		return switch (policy) {
			case "handler" -> application.with((context) -> context.registerBean(LockFailureHandler.class,
					() -> (failure) -> OTHERS.get(failure.method().getReturnType())));
			case "both" -> application.with((context) -> context.registerBean(BothFailures.class));
			case "THROW" -> application;
			default -> application.with((context) -> context.registerBean(LockFailureHandler.class, () -> (failure) -> {
				throw new IllegalStateException("the policy of the method comes first");
			}));
		};
	}

	private static Class<?> type(String name) {
		if (name.endsWith("[]")) {
			return type(name.substring(0, name.length() - 2)).arrayType();
		}
		Class<?> primitive = ClassUtils.resolvePrimitiveClassName(name);
		return (primitive != null) ? primitive : Stream
			.of("java.lang.", "java.util.", "java.util.stream.", "java.util.concurrent.", "reactor.core.publisher.")
			.filter((prefix) -> ClassUtils.isPresent(prefix + name, null))
			.<Class<?>>map((prefix) -> ClassUtils.resolveClassName(prefix + name, null))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * A class with an interface of its own. The method throws an exception if it runs.
	 */
	private static Class<?> bean(Class<?> result, String policy) {
		AnnotationDescription.Builder lock = AnnotationDescription.Builder.ofType(DistributedLock.class)
			.define("key", "'k'");
		AnnotationDescription annotation = switch (policy) {
			case "SKIP" -> lock.define("onFailure", OnFailure.SKIP).build();
			case "fallback" -> lock.define("fallback", "instead").build();
			default -> lock.build();
		};
		Type generic = (result == CompletionStage.class) ? ResolvableType
			.forClassWithGenerics(result, ResolvableType.forClassWithGenerics(Optional.class, String.class))
			.getType() : result;
		String name = WithoutLockTests.class.getPackageName() + ".Generated" + generated.incrementAndGet();
		Class<?> face = LockedApplication.load(new ByteBuddy().makeInterface()
			.name(name + "Interface")
			.defineMethod("run", generic, Modifier.PUBLIC)
			.withoutCode()
			.annotateMethod(annotation));
		Object other = OTHERS.get(result);
		return LockedApplication.load(new ByteBuddy().subclass(Object.class)
			.implement(face)
			.name(name)
			.method(ElementMatchers.named("run"))
			.intercept(ExceptionMethod.throwing(IllegalStateException.class, "ran"))
			.defineMethod("instead", generic, Modifier.PRIVATE)
			.intercept((other != null) ? FixedValue.value(other) : StubMethod.INSTANCE));
	}

	/** The outcome as the table describes it. */
	private static String outcome(Object bean, @Nullable Exception failure) throws Exception {
		Method method = bean.getClass().getMethod("run");
		Object result;
		try {
			result = value(method.invoke(bean));
		}
		catch (InvocationTargetException | ExecutionException ex) {
			Throwable cause = Objects.requireNonNull(ex.getCause());
			assertThat(cause).isSameAs((failure != null) ? failure : cause);
			return cause.getClass().getSimpleName();
		}
		if (method.getReturnType() == void.class) {
			return "nothing: it returns";
		}
		if (result == null) {
			return "null";
		}
		if (result.equals(value(OTHERS.get(method.getReturnType())))) {
			return "what it returns";
		}
		return isEmpty(result) ? "an empty one" : "the method's own result";
	}

	/** The value of an asynchronous result, and otherwise the result. */
	private static @Nullable Object value(@Nullable Object result) throws Exception {
		if (result instanceof CompletionStage<?> stage) {
			return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
		}
		return (result instanceof Publisher<?> publisher)
				? Flux.from(publisher).collectList().toFuture().get(10, TimeUnit.SECONDS) : result;
	}

	private static boolean isEmpty(Object result) {
		if (result instanceof BaseStream<?, ?> stream) {
			return !stream.iterator().hasNext();
		}
		if (result instanceof Iterator<?> iterator) {
			return !iterator.hasNext();
		}
		return ObjectUtils.isEmpty(result)
				|| List.of(OptionalInt.empty(), OptionalLong.empty(), OptionalDouble.empty()).contains(result);
	}

	@ParameterizedTest(name = "{0} {1}")
	@CsvSource({ "void, THROW", "Object, SKIP", "CompletionStage, THROW", "CompletionStage, SKIP", "Mono, THROW" })
	void aRegistryThatReturnsNullFailsTheCallWithoutRunningTheMethod(String result, String policy) {
		AtomicReference<@Nullable Object> future = new AtomicReference<>();
		LockRegistry registry = mock(LockRegistry.class,
				(call) -> (call.getMethod().getReturnType() == CompletableFuture.class) ? future.get() : null);
		try (AnnotationConfigApplicationContext context = application(result, policy, "CGLIB")
			.with((started) -> started.registerBean(LockRegistry.class, () -> registry,
					(definition) -> definition.setPrimary(true)))
			.start()) {
			Object bean = context.getBean("bean");
			for (Object answer : Arrays.asList(null, CompletableFuture.completedFuture(null))) {
				future.set(answer);
				assertThat(catchThrowable(() -> value(bean.getClass().getMethod("run").invoke(bean)))).cause()
					.isInstanceOf(IllegalStateException.class)
					.hasMessageContaining(" returned null for lock 'k' (Generated")
					.hasMessageContainingAll(registry.getClass().getName(), "@DistlockTest or @AutoConfigureTestLocks");
			}
		}
	}

	@Test
	void theHandlerKnowsTheFailureAndItsExceptionReachesTheCaller() {
		AtomicReference<LockFailure> handled = new AtomicReference<>();
		IllegalStateException mine = new IllegalStateException("mine");
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Stock.class)
			.with((started) -> started.registerBean(LockFailureHandler.class, () -> (failure) -> {
				handled.set(failure);
				throw mine;
			}))
			.start()) {
			context.getBean(InMemoryLocks.class).taken.add("k");
			assertThatException().isThrownBy(context.getBean(Stock.class)::text).isSameAs(mine);
		}
		assertThat(handled.get().method().getName()).isEqualTo("text");
		assertThat(handled.get().name()).isEqualTo("label");
		assertThat(handled.get().keys()).containsExactly("k");
		assertThat(handled.get().exception()).isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void severalHandlersFailTheStartUnlessOneIsPrimary() {
		LockedApplication application = LockedApplication.of(Stock.class)
			.with((context) -> List.of("one", "two")
				.forEach((name) -> context.registerBean(name, LockFailureHandler.class, () -> (failure) -> null)));
		assertThatExceptionOfType(NoUniqueBeanDefinitionException.class).isThrownBy(application::start);
		application.with((context) -> context.getBeanDefinition("two").setPrimary(true)).start().close();
	}

	static class Stock {

		@DistributedLock(key = "'k'", name = "label")
		String text() {
			return "ran";
		}

	}

	/** Handles a store that fails, too. */
	static class BothFailures implements LockFailureHandler {

		@Override
		public @Nullable Object notAcquired(LockFailure failure) {
			return OTHERS.get(failure.method().getReturnType());
		}

		@Override
		public @Nullable Object storeFailed(LockFailure failure) {
			assertThat(failure.exception()).isInstanceOf(LockBackendException.class);
			return notAcquired(failure);
		}

	}

}
