package io.github.distlock.aop;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/**
 * Recognizes results whose work begins or continues after the method has returned, in a
 * way that the lock cannot follow.
 */
final class ResultTypeCheck {

	private static final Log logger = LogFactory.getLog(ResultTypeCheck.class);

	/** By name: reactive streams need not be on the class path. */
	private static final Set<String> PUBLISHERS = Set.of("java.util.concurrent.Flow$Publisher",
			"org.reactivestreams.Publisher");

	/** By name: Kotlin's coroutines need not be on the class path. */
	private static final Set<String> COROUTINES = Set.of("kotlinx.coroutines.Job",
			"kotlinx.coroutines.channels.ReceiveChannel");

	private static final String WEB = "org.springframework.web.";

	/** By name: Spring MVC need not be on the class path. */
	private static final Set<String> WEB_RESULTS = Set.of(WEB + "context.request.async.WebAsyncTask",
			WEB + "context.request.async.DeferredResult", WEB + "servlet.mvc.method.annotation.ResponseBodyEmitter",
			WEB + "servlet.mvc.method.annotation.StreamingResponseBody");

	/** Results that their caller consumes. */
	private static final Set<String> CONSUMED = Set.of("java.util.stream.BaseStream", "java.util.Iterator",
			"java.util.function.Supplier", "kotlin.sequences.Sequence");

	private static final String HTTP_ENTITY = "org.springframework.http.HttpEntity";

	/**
	 * The last type argument of a container is the type of its body, elements or values.
	 */
	private static final Set<String> CONTAINERS = Set.of(Optional.class.getName(), Iterable.class.getName(),
			Map.class.getName(), HTTP_ENTITY);

	/** The container whose body Spring MVC processes in the same way as a result. */
	private static final Set<String> RESPONSES = Set.of(HTTP_ENTITY);

	/**
	 * How deep containers are searched. A type can contain itself, directly or through
	 * type variables, so a search without a limit might not end.
	 */
	private static final int MAXIMUM_DEPTH = 8;

	private static final String REMEDY = ". Return CompletableFuture or Mono instead, so that the lock is held until "
			+ "the work is done, or lock the method that does the work";

	private ResultTypeCheck() {
	}

	/**
	 * Refuse a method whose lock would be released before its work is done. If only its
	 * class is annotated, a container is logged and not refused: the class may have other
	 * methods that need the lock.
	 * @param method the method
	 * @param onClass whether the annotation is on a class
	 * @throws io.github.distlock.LockDefinitionException if the result is refused
	 */
	static void check(LockedMethod method, boolean onClass) {
		Class<?> type = method.returnType();
		if (isDeferred(type)) {
			throw method.refuse("is on a method that returns " + type.getSimpleName()
					+ ", whose work is done after the method has returned and its lock was released" + REMEDY);
		}
		if (isOneOf(type, CONSUMED)) {
			logger.warn(method
				.refuse("is on a method that returns " + type.getSimpleName()
						+ ", which its caller consumes after the lock "
						+ "was released. Return a complete value such as a List, or lock the method that consumes it")
				.getMessage());
		}
		Class<?> unfinished = contained(SuspendingFunction.returnType(method.method(), method.beanClass()));
		if (unfinished == null) {
			return;
		}
		String problem = "is on a method whose result contains a " + unfinished.getSimpleName()
				+ ", which may complete after the method has returned and its lock was released" + REMEDY;
		if (!onClass) {
			throw method.refuse(problem);
		}
		logger.warn(method.refuse(problem).getMessage());
	}

	/**
	 * Return whether the work for a returned value is not finished.
	 */
	static boolean isUnfinished(Object value) {
		if (value instanceof Future<?> future) {
			return !future.isDone();
		}
		return isUnfinishedType(value.getClass());
	}

	/** Whether the work begins when the caller or the web server has the result. */
	private static boolean isDeferred(Class<?> type) {
		return Callable.class.isAssignableFrom(type) || isOneOf(type, WEB_RESULTS);
	}

	static boolean isUnfinishedType(Class<?> type) {
		return isRunning(type) || isDeferred(type);
	}

	/** Whether the work has begun or begins with a subscription. */
	private static boolean isRunning(Class<?> type) {
		return Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type) || isPublisher(type)
				|| isCoroutine(type) || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	/** Whether a coroutine does the work, whose end cannot be seen in the result. */
	static boolean isCoroutine(Class<?> type) {
		return isOneOf(type, COROUTINES);
	}

	static boolean isPublisher(Class<?> type) {
		return isOneOf(type, PUBLISHERS);
	}

	private static boolean isOneOf(Class<?> type, Set<String> names) {
		return superType(type, names) != null;
	}

	/** The result of a stage or the element of a publisher may be a container, too. */
	private static @Nullable Class<?> contained(ResolvableType declared) {
		Class<?> type = declared.toClass();
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		boolean wrapped = declared.hasGenerics() && (CompletionStage.class.isAssignableFrom(type) || adapter != null);
		return inContainer(wrapped ? declared.getGeneric(0) : declared, MAXIMUM_DEPTH);
	}

	private static @Nullable Class<?> inContainer(ResolvableType declared, int depth) {
		ResolvableType held = held(declared);
		if (held == null || depth == 0) {
			return null;
		}
		Class<?> type = held.toClass();
		// A task in any container but a response is data that nothing executes.
		boolean unfinished = isOneOf(declared.toClass(), RESPONSES) ? isUnfinishedType(type) : isRunning(type);
		return unfinished ? type : inContainer(held, depth - 1);
	}

	private static @Nullable ResolvableType held(ResolvableType declared) {
		if (declared.isArray()) {
			return declared.getComponentType();
		}
		Class<?> container = superType(declared.toClass(), CONTAINERS);
		if (container == null) {
			return null;
		}
		ResolvableType[] generics = declared.as(container).getGenerics();
		return (generics.length > 0) ? generics[generics.length - 1] : null;
	}

	/** The type itself, a superclass or an interface, if one of the names is its name. */
	private static @Nullable Class<?> superType(@Nullable Class<?> type, Set<String> names) {
		if (type == null || names.contains(type.getName())) {
			return type;
		}
		for (Class<?> candidate : type.getInterfaces()) {
			Class<?> found = superType(candidate, names);
			if (found != null) {
				return found;
			}
		}
		return superType(type.getSuperclass(), names);
	}

}
