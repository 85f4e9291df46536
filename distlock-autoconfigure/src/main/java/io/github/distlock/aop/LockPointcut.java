package io.github.distlock.aop;

import java.lang.reflect.Method;

import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Matches annotated methods, correct or not. The start-up check reports what is wrong
 * with them. A pointcut that throws would also affect beans that have no locks.
 */
final class LockPointcut extends StaticMethodMatcherPointcut {

	LockPointcut(LockedClasses classes) {
		setClassFilter(classes::contain);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return !LockAnnotationFinder.find(method, targetClass).isEmpty();
	}

}
