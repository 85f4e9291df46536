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

	private final String properties;

	/**
	 * Create the exception.
	 * @param store where the store is
	 * @param properties the properties of the connection to it, or an empty text
	 * @param cause why it cannot be used
	 */
	LockStoreUnavailableException(String store, String properties, LockBackendException cause) {
		super("The lock store, " + store + ", cannot be used: " + cause.getMessage(), cause);
		this.store = store;
		this.properties = properties;
	}

	String getStore() {
		return this.store;
	}

	String getProperties() {
		return this.properties;
	}

	/**
	 * {@link AbstractFailureAnalyzer} that reports which store cannot be used, why, and
	 * what to do.
	 */
	static class UnavailableStoreAnalyzer extends AbstractFailureAnalyzer<LockStoreUnavailableException> {

		@Override
		protected FailureAnalysis analyze(Throwable rootFailure, LockStoreUnavailableException cause) {
			return new FailureAnalysis(
					"distlock.fail-fast is true, and the lock store cannot be used: " + cause.getStore() + "."
							+ reason(cause.getCause()),
					"""
							Check that the store runs at that address, that this machine can reach it, and that user and \
							password are right%s.
							To start without it, so that only calls that need a lock fail, set distlock.fail-fast=false."""
						.formatted(cause.getProperties().isEmpty() ? "" : " (" + cause.getProperties() + ")"),
					cause);
		}

		private static String reason(@Nullable Throwable cause) {
			return (cause != null) ? String.format("%n    %s", cause.getMessage()) : "";
		}

	}

}
