package io.github.distlock.autoconfigure;

import java.io.Serial;

/**
 * There is no lock backend, or it is ambiguous which one to use.
 */
class LockBackendMissingException extends StartUpException {

	@Serial
	private static final long serialVersionUID = 1L;

	LockBackendMissingException(String description, String action) {
		super(description, action, null);
	}

	/**
	 * Create the exception for a backend that is enabled but not available.
	 * @param backend the backend
	 * @param classPresent whether its classes are on the class path
	 * @param named whether {@code distlock.backend} names it
	 */
	static LockBackendMissingException of(Backend backend, boolean classPresent, boolean named) {
		if (backend == Backend.REDIS && !classPresent) {
			return new LockBackendMissingException(
					"distlock has no lock backend: there is none on the class path, and there is no LockBackend bean.",
					"""
							Do one of these:
							- add the dependency io.github.distlock:distlock-spring-boot-starter, which includes the Redis client, \
							and set spring.data.redis.host
							- define a LockBackend bean of your own
							- set distlock.enabled=false to run without locks""");
		}
		String enabledBy = named ? "distlock.backend=" + backend.id()
				: "distlock." + backend.id() + ".enabled=true or distlock.composite";
		String description = "The lock backend '" + backend.id() + "' is enabled (" + enabledBy + "), but ";
		return classPresent
				? new LockBackendMissingException(description + "its auto-configuration did not run.",
						"Do not exclude it, or use another backend.")
				: new LockBackendMissingException(description + backend.neededClass() + " is not on the class path.",
						"""
								Do one of these:
								- add the dependency %s
								- use another backend
								- set distlock.enabled=false to run without locks""".formatted(backend.dependency()));
	}

}
