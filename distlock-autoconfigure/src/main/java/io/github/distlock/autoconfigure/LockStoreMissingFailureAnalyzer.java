package io.github.distlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says how to come by a lock store.
 */
class LockStoreMissingFailureAnalyzer extends AbstractFailureAnalyzer<LockStoreMissingException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockStoreMissingException cause) {
		return new FailureAnalysis(cause.getDescription(), cause.getAction(), cause);
	}

}
