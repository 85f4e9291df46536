package io.github.distlock.autoconfigure;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says which lock of which bean is written wrongly.
 */
class LockDefinitionFailureAnalyzer extends AbstractFailureAnalyzer<LockDefinitionException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockDefinitionException cause) {
		return new FailureAnalysis(description(rootFailure, cause),
				"Correct the @DistributedLock annotation or the LockRequest as the description says. "
						+ "It would fail at each call.",
				cause);
	}

	/** The report of several problems names their beans itself. */
	private static String description(Throwable rootFailure, LockDefinitionException cause) {
		if (cause.getSuppressed().length > 1) {
			return String.valueOf(cause.getMessage());
		}
		String bean = beanName(rootFailure);
		return ((bean != null) ? "A lock of bean '" + bean + "' cannot work as it is written:"
				: "A lock cannot work as it is written:") + String.format("%n%n    %s", cause.getMessage());
	}

	/** The innermost bean: the others only need it. */
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
