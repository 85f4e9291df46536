package io.github.distlock.autoconfigure;

import java.io.Serial;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * The lock store cannot be used and the application is not to start without.
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
	 * Says which lock store could not be used at start-up, and what to do.
	 */
	static class UnavailableStoreAnalyzer extends AbstractFailureAnalyzer<LockStoreUnavailableException> {

		@Override
		protected FailureAnalysis analyze(Throwable rootFailure, LockStoreUnavailableException cause) {
			return new FailureAnalysis(
					"distlock.fail-fast is true, and the lock store cannot be used: " + cause.getStore() + "."
							+ reason(cause.getCause()),
					"""
							Check that the store runs at that address, that this machine can reach it, and that user and \
							password are right (for Redis: spring.data.redis.*).
							To start without it and fail only calls that need a lock, set distlock.fail-fast=false.""",
					cause);
		}

		private static String reason(@Nullable Throwable cause) {
			return (cause != null) ? String.format("%n    %s", cause.getMessage()) : "";
		}

	}

}
