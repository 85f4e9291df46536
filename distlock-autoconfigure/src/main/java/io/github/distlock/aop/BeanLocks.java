package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.LockDefinitionException;

/**
 * The locks of a bean class.
 *
 * @param valid the definitions of valid annotations
 * @param invalid the methods with invalid annotations
 */
record BeanLocks(List<LockDefinition> valid, List<Invalid> invalid) {

	static final BeanLocks NONE = new BeanLocks(List.of(), List.of());

	boolean isEmpty() {
		return this.valid.isEmpty() && this.invalid.isEmpty();
	}

	/**
	 * Return all annotated methods, for checks that do not depend on the attributes of
	 * the annotations.
	 */
	List<Declaration> declarations() {
		return Stream
			.concat(this.valid.stream().map(LockDefinition::declaration),
					this.invalid.stream().map(Invalid::declaration))
			.distinct()
			.toList();
	}

	/**
	 * A method to which an annotation applies.
	 *
	 * @param method the method
	 * @param onClass whether a class is annotated and not the method
	 */
	record Declaration(LockedMethod method, boolean onClass) {

		/**
		 * Whether a class-based proxy cannot intercept the method, and the author of the
		 * annotation can neither change nor exclude it: the annotated class inherits a
		 * final method of another package.
		 */
		boolean isInheritedFinal() {
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
	 * A method with invalid annotations.
	 *
	 * @param declaration the method
	 * @param problems the problems, at least one
	 */
	record Invalid(Declaration declaration, List<LockDefinitionException> problems) {
	}

}
