package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.util.List;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

/**
 * A method of a bean class to which annotations apply, valid or not.
 *
 * @param method the method
 * @param onClass whether a class is annotated and not the method
 * @param locks the definitions, none if an annotation is invalid
 * @param problem why an annotation is invalid, {@code null} if all are valid
 */
record LockDeclaration(LockedMethod method, boolean onClass, List<LockDefinition> locks,
		@Nullable LockDefinitionException problem) {

	/**
	 * Whether a class-based proxy cannot intercept the method, and the author of the
	 * annotation can neither change nor exclude it: the annotated class inherits a final
	 * method of another package.
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
