package io.github.distlock.aop;

import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Refuses {@code null} from a {@link LockRegistry}, whose contract does not allow it. It
 * never means that a call is skipped: the method would silently not run.
 */
final class RegistryAnswer {

	private RegistryAnswer() {
	}

	/**
	 * Refuse {@code null}.
	 * @param answer the result of the registry or of its future
	 * @param registry the registry
	 * @param method the name of the method that was called
	 * @param request the argument of that method
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
