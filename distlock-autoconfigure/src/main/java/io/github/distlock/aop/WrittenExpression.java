package io.github.distlock.aop;

import io.github.distlock.LockDefinitionException;

/**
 * A SpEL expression as it stands in the annotation, placeholders resolved.
 *
 * @param where the annotated method
 * @param attribute which attribute it is, {@code key} or {@code condition}
 * @param text the expression
 */
record WrittenExpression(LockedMethod where, String attribute, String text) {

	LockDefinitionException refuse(String problem) {
		return this.where.refuse(this.attribute, this.text, problem);
	}

	LockDefinitionException refuse(String problem, Throwable cause) {
		return this.where.refuse(this.attribute, this.text, problem, cause);
	}

}
