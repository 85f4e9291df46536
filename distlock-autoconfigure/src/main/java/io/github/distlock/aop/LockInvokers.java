package io.github.distlock.aop;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * The invoker for each kind of result.
 */
final class LockInvokers {

	private final LockInvoker blocking;

	/** Created when it is needed, because it has threads. */
	private final SingletonSupplier<LockInvoker> completionStage;

	/** Created when it is needed, because Reactor may not be on the class path. */
	private final SingletonSupplier<LockInvoker> reactive;

	LockInvokers(LockTargetResolver targets, TransactionalCalls transactionalCalls, Supplier<WorkExecutor> work,
			@Nullable ClassLoader beanClassLoader) {
		SingletonSupplier<AsyncLockExecutor> locks = SingletonSupplier.of(() -> new AsyncLockExecutor(beanClassLoader));
		this.blocking = new BlockingInvoker(targets, transactionalCalls);
		this.completionStage = SingletonSupplier
			.of(() -> new CompletionStageInvoker(targets, locks.obtain(), work.get()));
		this.reactive = SingletonSupplier
			.of(() -> new ReactiveInvoker(targets, locks.obtain(), transactionalCalls, beanClassLoader));
	}

	LockInvoker of(ReturnKind kind) {
		return switch (kind) {
			case SYNCHRONOUS, FUTURE_OF_ASYNC -> this.blocking;
			case COMPLETION_STAGE -> this.completionStage.obtain();
			case REACTIVE -> this.reactive.obtain();
		};
	}

}
