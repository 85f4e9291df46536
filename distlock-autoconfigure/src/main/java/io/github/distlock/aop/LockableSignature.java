package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.concurrent.Future;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * Refuses methods that cannot be locked, whatever proxy their bean gets, or however they
 * are woven.
 */
final class LockableSignature {

	/** By name: reactive streams need not be on the class path. */
	private static final Set<String> COMPLETE_LATER = Set.of("java.util.concurrent.CompletionStage",
			"java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher");

	private LockableSignature() {
	}

	static void check(LockedMethod where, AopMode mode) {
		Method method = where.method();
		if (mode == AopMode.PROXY) {
			checkReach(where);
		}
		Class<?> result = method.getReturnType();
		if (completesLater(result) && !runsAsynchronously(where)) {
			throw where.refuse("is on a method that returns " + result.getSimpleName()
					+ ", which may complete after the method has returned, but the lock is held only until the method "
					+ "returns: the work would go on without it. Return the finished result, or call "
					+ "LockRegistry.acquireAsync and close the lock when the result is complete");
		}
	}

	private static void checkReach(LockedMethod where) {
		Method method = where.method();
		if (Modifier.isStatic(method.getModifiers())) {
			throw where.refuse("is on a static method: a call of it passes no proxy and would not be locked. Make it "
					+ "an instance method of the bean, or set distlock.aop.mode to aspectj");
		}
		if (Modifier.isPrivate(method.getModifiers())) {
			throw where.refuse("is on a private method: a call of it passes no proxy and would not be locked. Make it "
					+ "public and call it from another bean, or set distlock.aop.mode to aspectj");
		}
	}

	private static boolean completesLater(Class<?> type) {
		if (Future.class.isAssignableFrom(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null) {
			return true;
		}
		return COMPLETE_LATER.contains(type.getName()) || ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.anyMatch((candidate) -> COMPLETE_LATER.contains(candidate.getName()));
	}

	/**
	 * The body of an {@code @Async} method does the work itself, on another thread, and
	 * returns a future that is complete.
	 */
	private static boolean runsAsynchronously(LockedMethod where) {
		return AnnotatedElementUtils.hasAnnotation(where.method(), Async.class)
				|| AnnotatedElementUtils.hasAnnotation(where.beanClass(), Async.class);
	}

}
