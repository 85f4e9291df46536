package io.github.distlock.aop;

import java.util.concurrent.Executor;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.util.function.SingletonSupplier;

/**
 * Where the body of a method runs that returns a {@code CompletionStage}: on the
 * application's own executor, the one that Spring MVC and {@code @Async} use as well.
 * Without one each body gets a thread. Looked for when it is first needed.
 */
final class WorkExecutor implements Executor {

	private static final String APPLICATION_TASK_EXECUTOR = "applicationTaskExecutor";

	private final SingletonSupplier<Executor> executor;

	WorkExecutor(BeanFactory beanFactory) {
		this.executor = SingletonSupplier.of(() -> find(beanFactory));
	}

	private static Executor find(BeanFactory beanFactory) {
		if (beanFactory.containsBean(APPLICATION_TASK_EXECUTOR)
				&& beanFactory.isTypeMatch(APPLICATION_TASK_EXECUTOR, Executor.class)) {
			return beanFactory.getBean(APPLICATION_TASK_EXECUTOR, Executor.class);
		}
		AsyncTaskExecutor only = beanFactory.getBeanProvider(AsyncTaskExecutor.class).getIfUnique();
		// A scheduler is for timers, and often has one thread.
		return (only != null && !(only instanceof TaskScheduler)) ? only
				: new SimpleAsyncTaskExecutor("distlock-work-");
	}

	@Override
	public void execute(Runnable task) {
		this.executor.obtain().execute(task);
	}

}
