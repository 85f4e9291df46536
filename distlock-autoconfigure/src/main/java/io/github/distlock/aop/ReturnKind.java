package io.github.distlock.aop;

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
	 * Determine the kind of result of a method.
	 * @throws io.github.distlock.LockDefinitionException if the end of the work cannot be
	 * observed
	 */
	static ReturnKind of(LockedMethod method) {
		Class<?> type = method.returnType();
		if (SuspendingFunction.is(method.method())) {
			if (!REACTOR || !SuspendingFunction.isInvocable()) {
				throw method.refuse("is on a suspending function, which needs "
						+ "org.jetbrains.kotlinx:kotlinx-coroutines-reactor and org.jetbrains.kotlin:kotlin-reflect on the "
						+ "class path to be locked: add them");
			}
			checkAwaited(method);
			return REACTIVE;
		}
		boolean future = Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type);
		if (future && runsAsynchronously(method)) {
			return FUTURE_OF_ASYNC;
		}
		if (type == CompletionStage.class || type == CompletableFuture.class) {
			return COMPLETION_STAGE;
		}
		if (future) {
			throw refuse(method, "CompletableFuture or CompletionStage");
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		if (adapter == null && ResultTypeCheck.isCoroutine(type)) {
			throw refuse(method, "a Flow, or make the function suspending");
		}
		if (adapter == null && !ResultTypeCheck.isPublisher(type)) {
			return SYNCHRONOUS;
		}
		if (!REACTOR) {
			throw method.refuse("is on a method that returns " + type.getSimpleName()
					+ ", which needs io.projectreactor:reactor-core on the class path to be locked: add it");
		}
		if (adapter == null || adapter.getReactiveType() != type) {
			throw refuse(method, (adapter != null) ? adapter.getReactiveType().getSimpleName() : "Mono or Flux");
		}
		return REACTIVE;
	}

	/**
	 * Refuse unfinished work as the result of a method that returns {@code Object}: the
	 * work would continue after the release of the lock.
	 * @throws io.github.distlock.LockDefinitionException if the work is not done
	 */
	static void checkCompleted(LockedMethod method, @Nullable Object result) {
		if (result == null || method.method().getReturnType() != Object.class) {
			return;
		}
		if (ResultTypeCheck.isUnfinished(result)) {
			throw method.refuse("is on a method that returns Object, and has returned a "
					+ result.getClass().getSimpleName() + ": its lock was released when it returned, so the "
					+ "rest of the work runs without the lock. Declare the actual type of the result, "
					+ "such as CompletableFuture, Mono or Flux");
		}
	}

	/** A suspending function awaits its work. A flow is collected under the lock. */
	private static void checkAwaited(LockedMethod method) {
		Class<?> type = SuspendingFunction.returnType(method.method(), method.beanClass()).toClass();
		if (!type.getName().equals(SuspendingFunction.FLOW) && ResultTypeCheck.isUnfinishedType(type)) {
			throw method.refuse("is on a suspending function that returns " + type.getSimpleName()
					+ ", whose work continues after the function has returned and its lock was released: await the work "
					+ "and return its value");
		}
	}

	private static RuntimeException refuse(LockedMethod method, String trackedType) {
		return method.refuse("is on a method that returns " + method.returnType().getSimpleName()
				+ ", which may complete after the method has returned in a way that the lock cannot follow: the work "
				+ "would continue without it. Return " + trackedType
				+ ", or call LockRegistry.acquireAsync and close the lock when the result is complete");
	}

	private static boolean runsAsynchronously(LockedMethod method) {
		return AnnotatedElementUtils.hasAnnotation(method.method(), Async.class)
				|| AnnotatedElementUtils.hasAnnotation(method.beanClass(), Async.class);
	}

}
