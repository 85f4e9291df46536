package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.LockDefinitionException;

/**
 * What the annotations of a bean class say.
 *
 * @param sound the definitions that were read
 * @param broken the methods whose annotations cannot work
 */
record BeanLocks(List<LockDefinition> valid, List<Invalid> invalid) {

	static final BeanLocks NONE = new BeanLocks(List.of(), List.of());

	boolean isEmpty() {
		return this.valid.isEmpty() && this.invalid.isEmpty();
	}

	/**
	 * Return all annotated methods, for checks that do not depend on what the annotations
	 * say.
	 */
	List<Declaration> declarations() {
		return Stream
			.concat(this.valid.stream().map(LockDefinition::declaration),
					this.invalid.stream().map(Invalid::declaration))
			.distinct()
			.toList();
	}

	/**
	 * A method that is to be locked.
	 *
	 * @param method the method
	 * @param onClass whether only a class is annotated
	 */
	record Declaration(LockedMethod method, boolean onClass) {

		/**
		 * Whether a class-based proxy cannot intercept the method, and its author can
		 * neither change nor exclude it: a class is annotated, which inherits a final
		 * method of another package.
		 */
		boolean isClosed() {
			Class<?> declaring = this.method.method().getDeclaringClass();
			return this.onClass && Modifier.isFinal(this.method.method().getModifiers())
					&& declaring != this.method.beanClass()
					&& !declaring.getPackageName().equals(this.method.beanClass().getPackageName());
		}

		/** Whether no proxy intercepts the method. */
		boolean isUnreachable() {
			return Modifier.isStatic(this.method.method().getModifiers())
					|| Modifier.isPrivate(this.method.method().getModifiers());
		}

	}

	/**
	 * A method that is to be locked and cannot be.
	 *
	 * @param place the method
	 * @param problems at least one
	 */
	record Invalid(Declaration declaration, List<LockDefinitionException> problems) {
	}

}
