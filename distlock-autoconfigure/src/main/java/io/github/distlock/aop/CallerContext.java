package io.github.distlock.aop;

import java.util.function.UnaryOperator;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;

import org.springframework.util.ClassUtils;

/**
 * Carries the thread-locals of a caller that are registered with Micrometer's context
 * propagation, if that is on the class path, to the thread that does its work. Nothing
 * else is carried: threads of the library inherit nothing.
 */
final class CallerContext {

	private static final boolean PROPAGATION = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
			CallerContext.class.getClassLoader());

	private CallerContext() {
	}

	/**
	 * Capture the context of this thread.
	 * @return binds a task to it
	 */
	static UnaryOperator<Runnable> capture() {
		return PROPAGATION ? Propagation.capture() : UnaryOperator.identity();
	}

	/**
	 * Loaded only if context propagation is on the class path.
	 */
	private static final class Propagation {

		private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

		static UnaryOperator<Runnable> capture() {
			ContextSnapshot snapshot = SNAPSHOTS.captureAll();
			return snapshot::wrap;
		}

	}

}
