package io.github.distlock.aop;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * The styles, each for one kind of result.
 */
final class LockInvokers {

	private final LockInvoker blocking;

	private final LockInvoker awaiting;

	/** Made when it is needed: it has threads. */
	private final SingletonSupplier<LockInvoker> completionStage;

	/** Made when it is needed: Reactor may not be on the class path. */
	private final SingletonSupplier<LockInvoker> reactive;

	LockInvokers(TransactionalCalls transactionalCalls, Supplier<WorkExecutor> work,
			@Nullable ClassLoader beanClassLoader) {
		SingletonSupplier<AsyncLockExecutor> locks = SingletonSupplier.of(() -> new AsyncLockExecutor(beanClassLoader));
		this.blocking = new BlockingInvoker(transactionalCalls);
		this.awaiting = new AwaitingInvoker(this.blocking);
		this.completionStage = SingletonSupplier.of(() -> new CompletionStageInvoker(locks.obtain(), work.get()));
		this.reactive = SingletonSupplier
			.of(() -> new ReactiveInvoker(locks.obtain(), transactionalCalls, beanClassLoader));
	}

	LockInvoker of(ReturnKind kind) {
		return switch (kind) {
			case AT_ONCE -> this.blocking;
			case FUTURE_OF_ASYNC -> this.awaiting;
			case COMPLETION_STAGE -> this.completionStage.obtain();
			case REACTIVE -> this.reactive.obtain();
		};
	}

}
