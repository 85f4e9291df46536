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
		String bean = beanName(rootFailure);
		return new FailureAnalysis(
				((bean != null) ? "A lock of bean '" + bean + "' cannot work as it is written:"
						: "A lock cannot work as it is written:") + String.format("%n%n    %s", cause.getMessage()),
				"Correct the @DistributedLock annotation or the LockRequest as the description says. "
						+ "It would fail at each call.",
				cause);
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
