package io.github.distlock.autoconfigure;

import java.io.Serial;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * There is no lock store, or it is not clear which.
 */
class LockBackendMissingException extends IllegalStateException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final String description;

	private final String action;

	LockBackendMissingException(String description, String action) {
		super(description + " " + action);
		this.description = description;
		this.action = action;
	}

	/**
	 * Of a store that was chosen and has no backend.
	 * @param backend the store
	 * @param present whether its classes are there
	 * @param named whether it is the one that {@code distlock.backend} names
	 */
	static LockBackendMissingException of(Backend backend, boolean present, boolean named) {
		if (backend == Backend.REDIS && !present) {
			return new LockBackendMissingException(
					"distlock has no lock store: there is none on the class path, and no LockBackend bean.", """
							Do one of these:
							- add the dependency io.github.distlock:distlock-spring-boot-starter, which brings Redis, \
							and set spring.data.redis.host
							- define a LockBackend bean of your own
							- set distlock.enabled=false to run without locks""");
		}
		String choice = named ? "distlock.backend=" + backend.id()
				: "distlock." + backend.id() + ".enabled=true or distlock.composite";
		String description = "The lock store '" + backend.id() + "' is chosen (" + choice + "), and ";
		return present
				? new LockBackendMissingException(description + "its auto-configuration did not run.",
						"Do not exclude it, or choose another store.")
				: new LockBackendMissingException(description + backend.neededClass() + " is not on the class path.",
						"""
								Do one of these:
								- add the dependency %s
								- choose another store
								- set distlock.enabled=false to run without locks""".formatted(backend.dependency()));
	}

	String getDescription() {
		return this.description;
	}

	String getAction() {
		return this.action;
	}

	/**
	 * Says how to come by a lock store.
	 */
	static class MissingBackendAnalyzer extends AbstractFailureAnalyzer<LockBackendMissingException> {

		@Override
		protected FailureAnalysis analyze(Throwable rootFailure, LockBackendMissingException cause) {
			return new FailureAnalysis(cause.getDescription(), cause.getAction(), cause);
		}

	}

}
