package io.github.distlock.aop;

import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests the table of {@code docs/annotation.md}: what the caller gets without the lock.
 */
class FailurePolicyTableTests {

	private static final Path PAGE = Path.of("..", "docs", "annotation.md");

	private static final String HEAD = "| result | policy | the caller gets |";

	private static final Map<String, AnnotationConfigApplicationContext> STARTED = new HashMap<>();

	@AfterAll
	static void close() {
		STARTED.values().forEach(AnnotationConfigApplicationContext::close);
		STARTED.clear();
	}

	/** One for each result, policy and kind of proxy. */
	static Stream<Arguments> rows() throws IOException {
		List<String> lines = Files.readAllLines(PAGE);
		return lines.subList(lines.indexOf(HEAD) + 2, lines.size())
			.stream()
			.takeWhile((line) -> line.startsWith("|"))
			.map((line) -> line.replace("`", "").split("\\|"))
			.flatMap((row) -> cells(row[1])
				.flatMap((result) -> cells(row[2]).flatMap((policy) -> Stream.of("CGLIB", "JDK")
					.map((proxy) -> Arguments.of(result, policy, row[3].trim(), proxy)))));
	}

	private static Stream<String> cells(String list) {
		return Arrays.stream(list.split(",")).map(String::trim);
	}

	@ParameterizedTest(name = "{0} {1} -> {2} ({3})")
	@MethodSource("rows")
	void eachRowOfTheTableIsTrue(String result, String policy, String expected, String proxy) throws Exception {
		if (expected.equals("refused at startup")) {
			Class<?> bean = Arrays.stream(TableResults.class.getDeclaredClasses())
				.filter((type) -> Arrays.stream(type.getDeclaredMethods())
					.anyMatch((method) -> method.getReturnType().getSimpleName().equals(result)))
				.filter((type) -> type.getSimpleName().startsWith("Refused"))
				.findFirst()
				.orElseThrow();
			assertThat(catchThrowable(() -> start(bean, policy, proxy).close())).hasStackTraceContaining("SKIP")
				.hasRootCauseInstanceOf(LockDefinitionException.class)
				.hasStackTraceContaining("is on a method that returns ");
			return;
		}
		Class<?> type = switch (policy) {
			case "SKIP" -> TableResults.Skipping.class;
			case "fallback" -> TableResults.FallingBack.class;
			case "THROW", "handler" -> TableResults.Plain.class;
			default -> throw new IllegalArgumentException(policy);
		};
		AnnotationConfigApplicationContext context = STARTED.computeIfAbsent(policy + proxy,
				(name) -> start(type, policy, proxy));
		Class<?> face = type.getInterfaces()[0];
		Object bean = context.getBean(face);
		assertThat(AopUtils.isCglibProxy(bean)).isEqualTo(proxy.equals("CGLIB"));
		Method method = Arrays.stream(face.getMethods())
			.filter((candidate) -> candidate.getReturnType().getSimpleName().equals(result))
			.findFirst()
			.orElseThrow();
		assertThat(outcome(method, bean)).isEqualTo(expected);
	}

	private static AnnotationConfigApplicationContext start(Class<?> bean, String policy, String proxy) {
		LockedApplication application = LockedApplication.of(bean);
		if (proxy.equals("CGLIB")) {
			application.with(AopConfigUtils::forceAutoProxyCreatorToUseClassProxying);
		}
		if (policy.equals("handler")) {
			application.with((context) -> context.registerBean(LockFailureHandler.class,
					() -> (failure) -> TableResults.OTHERS.get(failure.method().getReturnType())));
		}
		AnnotationConfigApplicationContext context = application.start();
		context.getBean(InMemoryLocks.class).taken.add("k");
		return context;
	}

	/** The outcome as the table describes it. */
	private static String outcome(Method method, Object bean) throws Exception {
		Object result;
		try {
			result = method.invoke(bean);
		}
		catch (InvocationTargetException ex) {
			assertThat(ex.getCause()).isInstanceOf(LockNotAcquiredException.class);
			return "LockNotAcquiredException";
		}
		if (method.getReturnType() == void.class) {
			return "nothing: it returns";
		}
		if (result == null) {
			return "null";
		}
		if (result.equals(TableResults.OTHERS.get(method.getReturnType()))) {
			return "what it returns";
		}
		return isEmpty(result) ? "an empty one" : "the method's own result";
	}

	private static boolean isEmpty(@Nullable Object result) {
		if (result instanceof BaseStream<?, ?> stream) {
			return !stream.iterator().hasNext();
		}
		if (result instanceof Iterator<?> iterator) {
			return !iterator.hasNext();
		}
		if (result instanceof Collection<?> collection) {
			return collection.isEmpty();
		}
		if (result instanceof Map<?, ?> map) {
			return map.isEmpty();
		}
		if (result != null && result.getClass().isArray()) {
			return Array.getLength(result) == 0;
		}
		return List.of(Optional.empty(), OptionalInt.empty(), OptionalLong.empty(), OptionalDouble.empty())
			.contains(result);
	}

}
