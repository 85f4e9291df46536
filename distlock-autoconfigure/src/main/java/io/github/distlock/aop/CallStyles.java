package io.github.distlock.aop;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * The styles, each for one kind of result.
 */
final class CallStyles {

	private final CallStyle blocking;

	private final CallStyle awaiting;

	/** Made when it is needed: it has threads. */
	private final SingletonSupplier<CallStyle> completionStage;

	/** Made when it is needed: Reactor may not be on the class path. */
	private final SingletonSupplier<CallStyle> reactive;

	CallStyles(TransactionalCalls transactionalCalls, Supplier<WorkExecutor> work,
			@Nullable ClassLoader beanClassLoader) {
		SingletonSupplier<AsyncLocks> locks = SingletonSupplier.of(() -> new AsyncLocks(beanClassLoader));
		this.blocking = new BlockingStyle(transactionalCalls);
		this.awaiting = new AwaitingStyle(this.blocking);
		this.completionStage = SingletonSupplier.of(() -> new CompletionStageStyle(locks.obtain(), work.get()));
		this.reactive = SingletonSupplier
			.of(() -> new ReactiveStyle(locks.obtain(), transactionalCalls, beanClassLoader));
	}

	CallStyle of(ResultKind kind) {
		return switch (kind) {
			case AT_ONCE -> this.blocking;
			case FUTURE_OF_ASYNC -> this.awaiting;
			case COMPLETION_STAGE -> this.completionStage.obtain();
			case REACTIVE -> this.reactive.obtain();
		};
	}

}
