package io.github.distlock.aop;

import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Refuses an answer of a {@link LockRegistry} that its contract does not allow. Such an
 * answer never means that a call is skipped: its method would silently not run.
 */
final class RegistryAnswer {

	private RegistryAnswer() {
	}

	/**
	 * Refuse {@code null}.
	 * @param answer what the registry returned, or completed its future with
	 * @param registry the registry
	 * @param method name of the method that was called
	 * @param request what it was called with
	 * @return the answer
	 * @throws IllegalStateException if it is {@code null}
	 */
	static <T> T check(@Nullable T answer, LockRegistry registry, String method, LockRequest request) {
		if (answer == null) {
			throw new IllegalStateException(registry.getClass().getName() + "." + method + "(...) returned null for "
					+ "lock '" + request.key() + "' (" + request.label() + "), which a LockRegistry must not do. If "
					+ "this is a mock in a test, remove it and use @DistlockTest or @AutoConfigureTestLocks, whose "
					+ "TestLocks decide which locks the code gets");
		}
		return answer;
	}

}
