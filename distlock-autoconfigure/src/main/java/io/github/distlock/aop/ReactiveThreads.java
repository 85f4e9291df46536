package io.github.distlock.aop;

import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Creates the scheduler on which the bodies of reactive methods begin, which may block.
 * It has as many threads as Reactor's {@code boundedElastic}. That scheduler itself
 * cannot be used: its threads inherit thread-locals from the caller for which they were
 * created.
 */
final class ReactiveThreads {

	private static final long IDLE_SECONDS = 60;

	private ReactiveThreads() {
	}

	/**
	 * Create the scheduler. It is never disposed of: its threads are daemons that end
	 * when they are idle.
	 */
	static Scheduler create(@Nullable ClassLoader beanClassLoader) {
		int size = Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE;
		ThreadPoolExecutor threads = new ThreadPoolExecutor(size, size, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedTransferQueue<>(), LockThreads.numbered("distlock-reactive-", beanClassLoader));
		threads.allowCoreThreadTimeOut(true);
		return Schedulers.fromExecutorService(threads, "distlock-reactive");
	}

}
