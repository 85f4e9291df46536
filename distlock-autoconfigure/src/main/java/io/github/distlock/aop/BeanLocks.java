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
record BeanLocks(List<LockDefinition> sound, List<Broken> broken) {

	static final BeanLocks NONE = new BeanLocks(List.of(), List.of());

	boolean isEmpty() {
		return this.sound.isEmpty() && this.broken.isEmpty();
	}

	/**
	 * Return all annotated methods, for checks that do not depend on what the annotations
	 * say.
	 */
	List<Place> places() {
		return Stream.concat(this.sound.stream().map(LockDefinition::place), this.broken.stream().map(Broken::place))
			.distinct()
			.toList();
	}

	/**
	 * A method that is to be locked.
	 *
	 * @param method the method
	 * @param onClass whether only a class is annotated
	 */
	record Place(LockedMethod method, boolean onClass) {

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
	record Broken(Place place, List<LockDefinitionException> problems) {
	}

}
