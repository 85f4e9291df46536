package io.github.distlock.autoconfigure;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * {@link AbstractFailureAnalyzer} for {@link LockDefinitionException}. Reports which lock
 * of which bean is invalid.
 */
class LockDefinitionFailureAnalyzer extends AbstractFailureAnalyzer<LockDefinitionException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockDefinitionException cause) {
		return new FailureAnalysis(description(rootFailure, cause),
				"Correct the @DistributedLock annotation or the LockRequest as described. "
						+ "Otherwise each call would fail.",
				cause);
	}

	/** A report of several problems already names their beans. */
	private static String description(Throwable rootFailure, LockDefinitionException cause) {
		if (cause.getSuppressed().length > 1) {
			return String.valueOf(cause.getMessage());
		}
		String bean = beanName(rootFailure);
		return ((bean != null) ? "A lock of bean '" + bean + "' is invalid:" : "A lock is invalid:")
				+ String.format("%n%n    %s", cause.getMessage());
	}

	/** Return the name of the innermost bean: the others only depend on it. */
	private static @Nullable String beanName(Throwable failure) {
		String name = null;
		for (Throwable next = failure; next != null; next = next.getCause()) {
			if (next instanceof BeanCreationException creation && creation.getBeanName() != null) {
				name = creation.getBeanName();
			}
		}
		return name;
	}

}
