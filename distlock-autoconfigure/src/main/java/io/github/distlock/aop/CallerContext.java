package io.github.distlock.aop;

import io.micrometer.context.ContextSnapshotFactory;

import org.springframework.util.ClassUtils;

/**
 * Carries the context of a caller to the thread that does its work: the context class
 * loader, and the thread-locals that are registered with Micrometer's context
 * propagation, if that is on the class path. Nothing else is carried: threads of the
 * library inherit nothing.
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
		return withClassLoader(PROPAGATION ? Propagation.wrap(task) : task);
	}

	/**
	 * Bind a task to the context class loader of this thread, and to nothing else.
	 */
	static Runnable withClassLoader(Runnable task) {
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		return () -> {
			Thread thread = Thread.currentThread();
			ClassLoader own = thread.getContextClassLoader();
			if (own == loader) {
				task.run();
				return;
			}
			thread.setContextClassLoader(loader);
			try {
				task.run();
			}
			finally {
				thread.setContextClassLoader(own);
			}
		};
	}

	/**
	 * Loaded only if context propagation is on the class path.
	 */
	private static final class Propagation {

		private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

		static Runnable wrap(Runnable task) {
			return SNAPSHOTS.captureAll().wrap(task);
		}

	}

}
