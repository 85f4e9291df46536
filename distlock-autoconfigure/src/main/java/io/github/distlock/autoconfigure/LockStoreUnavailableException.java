package io.github.distlock.autoconfigure;

import java.io.Serial;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * The lock store cannot be used at startup, and {@code distlock.fail-fast} is true.
 */
class LockStoreUnavailableException extends IllegalStateException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final String store;

	LockStoreUnavailableException(String store, LockBackendException cause) {
		super("The lock store, " + store + ", cannot be used: " + cause.getMessage(), cause);
		this.store = store;
	}

	String getStore() {
		return this.store;
	}

	/**
	 * {@link AbstractFailureAnalyzer} that reports which store cannot be used, why, and
	 * what to do.
	 */
	static class UnavailableStoreAnalyzer extends AbstractFailureAnalyzer<LockStoreUnavailableException> {

		@Override
		protected FailureAnalysis analyze(Throwable rootFailure, LockStoreUnavailableException cause) {
			return new FailureAnalysis("distlock.fail-fast is true, and the lock store cannot be used: " + cause
				.getStore() + "." + reason(cause.getCause()), """
						Check that the store runs at that address, that this machine can reach it, and that user and \
						password are right (for Redis: spring.data.redis.*).
						To start without it, so that only calls that need a lock fail, set distlock.fail-fast=false.""",
					cause);
		}

		private static String reason(@Nullable Throwable cause) {
			return (cause != null) ? String.format("%n    %s", cause.getMessage()) : "";
		}

	}

}
