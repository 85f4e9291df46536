package io.github.distlock.aop;

import java.lang.reflect.Method;

import io.github.distlock.DistributedLock;

import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Matches annotated methods, sound or not: what is wrong with them is said elsewhere, and
 * a pointcut that throws would also hit beans that are none of its business.
 */
final class LockPointcut extends StaticMethodMatcherPointcut {

	LockPointcut() {
		setClassFilter((type) -> AnnotationUtils.isCandidateClass(type, DistributedLock.class));
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return !LockAnnotation.find(method, targetClass).isEmpty();
	}

}
