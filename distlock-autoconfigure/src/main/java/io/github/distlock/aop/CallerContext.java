package io.github.distlock.aop;

import io.micrometer.context.ContextSnapshotFactory;

import org.springframework.util.ClassUtils;

/**
 * Takes what is bound to the caller's thread to the thread that does its work: what
 * Micrometer's context propagation knows of, if that is on the class path.
 */
final class CallerContext {

	private static final boolean PROPAGATION = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
			CallerContext.class.getClassLoader());

	private CallerContext() {
	}

	/**
	 * Bind a task to the context of this thread.
	 */
	static Runnable wrap(Runnable task) {
		return PROPAGATION ? Propagation.wrap(task) : task;
	}

	/**
	 * Loaded only where the library is.
	 */
	private static final class Propagation {

		private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

		static Runnable wrap(Runnable task) {
			return SNAPSHOTS.captureAll().wrap(task);
		}

	}

}
