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
 * Results whose work begins, or goes on, after the method has returned, in a way that a
 * lock cannot follow.
 */
final class UnfinishedResult {

	private static final Log logger = LogFactory.getLog(UnfinishedResult.class);

	/** By name: reactive streams need not be on the class path. */
	private static final Set<String> PUBLISHERS = Set.of("java.util.concurrent.Flow$Publisher",
			"org.reactivestreams.Publisher");

	private static final String WEB = "org.springframework.web.";

	/** By name: Spring MVC need not be on the class path. */
	private static final Set<String> WEB_RESULTS = Set.of(WEB + "context.request.async.WebAsyncTask",
			WEB + "context.request.async.DeferredResult", WEB + "servlet.mvc.method.annotation.ResponseBodyEmitter",
			WEB + "servlet.mvc.method.annotation.StreamingResponseBody");

	private static final String HTTP_ENTITY = "org.springframework.http.HttpEntity";

	/**
	 * What a container holds is its last type argument: the body, the element, the value.
	 */
	private static final Set<String> CONTAINERS = Set.of(Optional.class.getName(), Iterable.class.getName(),
			Map.class.getName(), HTTP_ENTITY);

	/** The container whose body Spring MVC processes as it does a result itself. */
	private static final Set<String> RESPONSES = Set.of(HTTP_ENTITY);

	/**
	 * How deep containers are searched. A type can contain itself, directly or through
	 * type variables, so that a search without a limit would not end.
	 */
	private static final int MAXIMUM_DEPTH = 8;

	private static final String REMEDY = ". Return CompletableFuture or Mono instead, so that the lock is held until "
			+ "the work is done, or lock the method that does the work";

	private UnfinishedResult() {
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
		Class<?> late = contained(ResolvableType.forMethodReturnType(method.method(), method.beanClass()));
		if (late == null) {
			return;
		}
		String problem = "is on a method whose result contains a " + late.getSimpleName()
				+ ", which may complete after the method has returned and its lock was released" + REMEDY;
		if (!onClass) {
			throw method.refuse(problem);
		}
		logger.warn(method.refuse(problem).getMessage());
	}

	/**
	 * Return whether work is left to be done for a value that a method has returned.
	 */
	static boolean isUnfinished(Object value) {
		if (value instanceof Future<?> future) {
			return !future.isDone();
		}
		return isLate(value.getClass());
	}

	/** Work that begins when the caller, or the web server, has the result. */
	private static boolean isDeferred(Class<?> type) {
		return Callable.class.isAssignableFrom(type) || isOneOf(type, WEB_RESULTS);
	}

	private static boolean isLate(Class<?> type) {
		return isRunning(type) || isDeferred(type);
	}

	/** Work that has begun, or begins with a subscription. */
	private static boolean isRunning(Class<?> type) {
		return Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type) || isPublisher(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	static boolean isPublisher(Class<?> type) {
		return isOneOf(type, PUBLISHERS);
	}

	private static boolean isOneOf(Class<?> type, Set<String> names) {
		return superType(type, names) != null;
	}

	/** The result of a stage, and the element of a publisher, may be a container too. */
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
		// A task in another container than a response is data: nothing begins it.
		boolean late = isOneOf(declared.toClass(), RESPONSES) ? isLate(type) : isRunning(type);
		return late ? type : inContainer(held, depth - 1);
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

	/** The type itself, a superclass or an interface, whichever has one of the names. */
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
