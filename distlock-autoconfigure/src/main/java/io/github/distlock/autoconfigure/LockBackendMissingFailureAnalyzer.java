package io.github.distlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says how to come by a lock store.
 */
class LockBackendMissingFailureAnalyzer extends AbstractFailureAnalyzer<LockBackendMissingException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockBackendMissingException cause) {
		return new FailureAnalysis(cause.getDescription(), cause.getAction(), cause);
	}

}
