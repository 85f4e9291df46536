package io.github.distlock.aop;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * When the work of a method is done, according to its return type.
 */
enum ReturnKind {

	/** When the method returns. */
	SYNCHRONOUS,

	/**
	 * When the future is done that an {@code @Async} method returns. The body runs on a
	 * thread of the executor, which waits for the future.
	 */
	FUTURE_OF_ASYNC,

	/** When the returned stage is complete. */
	COMPLETION_STAGE,

	/**
	 * When the returned publisher has completed, for each subscription. Suspending
	 * functions of Kotlin are invoked as publishers.
	 */
	REACTIVE;

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			ReturnKind.class.getClassLoader());

	/**
	 * Work that begins or continues after the method has returned, in a way that the lock
	 * cannot follow: tasks, publishers without an adapter, results that the web server
	 * processes, and coroutines. By name: most need not be on the class path.
	 */
	private static final Set<String> UNFINISHED = Set.of(Callable.class.getName(),
			"java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody", "kotlinx.coroutines.Job",
			"kotlinx.coroutines.channels.ReceiveChannel");

	/**
	 * Determine the kind of result of a method.
	 * @throws io.github.distlock.LockDefinitionException if the end of the work cannot be
	 * observed
	 */
	static ReturnKind of(LockedMethod method) {
		if (method.isSuspending()) {
			return ofSuspending(method);
		}
		Class<?> type = method.returnType();
		if (isFuture(type) && (AnnotatedElementUtils.hasAnnotation(method.method(), Async.class)
				|| AnnotatedElementUtils.hasAnnotation(method.beanClass(), Async.class))) {
			return FUTURE_OF_ASYNC;
		}
		if (type == CompletionStage.class || type == CompletableFuture.class) {
			return COMPLETION_STAGE;
		}
		ReactiveAdapter adapter = adapter(type);
		if (REACTOR && adapter != null && adapter.getReactiveType() == type) {
			return REACTIVE;
		}
		if (isUnfinished(type)) {
			throw method.refuse("is on a method that returns " + type.getSimpleName()
					+ ", whose work may begin or continue after the method has returned, in a way that the lock cannot "
					+ "follow: it would continue without the lock. Return CompletableFuture, CompletionStage, Mono or "
					+ "Flux (which need io.projectreactor:reactor-core), or lock the method that does the work");
		}
		return SYNCHRONOUS;
	}

	/** A suspending function awaits its work. A flow is collected under the lock. */
	private static ReturnKind ofSuspending(LockedMethod method) {
		if (!REACTOR || !SuspendingFunction.isInvocable()) {
			throw method.refuse("is on a suspending function, which needs "
					+ "org.jetbrains.kotlinx:kotlinx-coroutines-reactor and org.jetbrains.kotlin:kotlin-reflect on the "
					+ "class path to be locked: add them");
		}
		Class<?> type = SuspendingFunction.returnType(method.method(), method.beanClass()).toClass();
		if (!type.getName().equals(SuspendingFunction.FLOW) && isUnfinished(type)) {
			throw method.refuse("is on a suspending function that returns " + type.getSimpleName()
					+ ", whose work continues after the function has returned and its lock was released: await the work "
					+ "and return its value");
		}
		return REACTIVE;
	}

	private static boolean isUnfinished(Class<?> type) {
		return isFuture(type) || adapter(type) != null || isNamed(type);
	}

	private static boolean isFuture(Class<?> type) {
		return Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type);
	}

	private static @Nullable ReactiveAdapter adapter(Class<?> type) {
		return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
	}

	/** Whether the type, a superclass or an interface has one of the names. */
	private static boolean isNamed(@Nullable Class<?> type) {
		return type != null && (UNFINISHED.contains(type.getName()) || isNamed(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(ReturnKind::isNamed));
	}

}
