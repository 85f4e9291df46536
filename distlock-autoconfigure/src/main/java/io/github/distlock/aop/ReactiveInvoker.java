package io.github.distlock.aop;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.ReactiveLockContext;
import io.github.distlock.aop.LockedCoroutine.LockedFlow;
import io.github.distlock.observation.LockObservation;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObserver.ObservationScope;
import io.github.distlock.transaction.RunningTransaction;
import io.github.distlock.transaction.TransactionBoundary;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.Assert;

/**
 * Runs methods that return a reactive type. Each subscription evaluates the keys and
 * calls the method under its own locks, which are held until the publisher completes,
 * fails or is cancelled. All failures are reported by the publisher. Loaded only if
 * Reactor is on the class path.
 */
final class ReactiveInvoker {

	private final AsyncLockExecutor lockExecutor;

	/**
	 * The bodies begin here, which may block. As many threads as Reactor's
	 * {@code boundedElastic}, whose own threads inherit thread-locals from the caller for
	 * which they were created. Never disposed of.
	 */
	private final Scheduler threads;

	ReactiveInvoker(AsyncLockExecutor lockExecutor, @Nullable ClassLoader beanClassLoader) {
		this.lockExecutor = lockExecutor;
		this.threads = Schedulers.fromExecutorService(AsyncLockExecutor.threads(Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE,
				"distlock-reactive-", beanClassLoader), "distlock-reactive");
	}

	Object invoke(MethodLocks locks, MethodInvocation invocation) {
		LockedMethod method = locks.method();
		ReactiveAdapter adapter = adapter(method);
		Assert.state(adapter != null, () -> method + " returns no reactive type");
		Flux<Object> result = RunningTransaction.current()
			.singleOptional()
			.flatMapMany((transaction) -> Flux.deferContextual((context) -> {
				LockedCall call = LockedCall.of(locks, invocation,
						transaction.isPresent() || TransactionBoundary.isActive());
				return new LockedSubscription(adapter, call.detach(), outer(locks, context, transaction),
						transaction.orElse(null))
					.run();
			}));
		if (SuspendingFunction.FLOW.equals(adapter.getReactiveType().getName())) {
			return new LockedFlow(result);
		}
		// A single value waits for the completion, and so for the release.
		return adapter.fromPublisher(adapter.isMultiValue() ? result : result.singleOrEmpty());
	}

	/**
	 * Spring awaits a Mono or collects a Flux for the caller of a suspending function.
	 */
	private static @Nullable ReactiveAdapter adapter(LockedMethod method) {
		Class<?> type = method.returnType();
		if (method.isSuspending()) {
			Class<?> declared = SuspendingFunction.returnType(method.method(), method.beanClass()).toClass();
			type = declared.getName().equals(SuspendingFunction.FLOW) ? Flux.class : Mono.class;
		}
		return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
	}

	/**
	 * What surrounds the subscription: the locks, innermost first and without duplicates,
	 * and the observation.
	 */
	private static CallerScope outer(MethodLocks locks, ContextView context, Optional<RunningTransaction> transaction) {
		Set<HeldLock> outer = new LinkedHashSet<>(ReactiveLockContext.all(context));
		transaction.ifPresent((running) -> outer.addAll(running.kept()));
		LockEnvironment environment = locks.environment();
		return new CallerScope(List.copyOf(outer),
				context.getOrEmpty(LockObserver.CONTEXT_KEY).orElseGet(environment::observation), environment);
	}

	/** One subscription. */
	private final class LockedSubscription {

		private final ReactiveAdapter adapter;

		private final LockedCall call;

		private final CallerScope outer;

		/** Keeps the locks until the end of the transaction, if it must keep them. */
		private final @Nullable Consumer<List<HeldLock>> keeper;

		/** Whether the transaction releases the locks when it has completed. */
		private volatile boolean kept;

		/** The failure of the release if the work itself has succeeded. */
		private volatile @Nullable Throwable releaseFailure;

		/**
		 * Completes when cancelled work has ended: a coroutine continues until it has
		 * cleaned up, and needs its locks.
		 */
		private volatile Mono<Void> workEnd = Mono.empty();

		/** Set by the thread that delivers the locks, during the delivery. */
		private boolean delivered;

		LockedSubscription(ReactiveAdapter adapter, LockedCall call, CallerScope outer,
				@Nullable RunningTransaction transaction) {
			this.adapter = adapter;
			this.call = call;
			this.outer = outer;
			this.keeper = (transaction != null && !call.isUnlocked()
					&& call.locks().transactions().keeps(call.locks().method()))
							? transaction.keeper((acquired) -> close(null)) : null;
		}

		Flux<Object> run() {
			if (this.call.isUnlocked()) {
				return Flux.from(work());
			}
			return Flux
				.usingWhen(Mono.create(this::acquire), (locked) -> work(), (locked) -> release(null),
						(locked, failure) -> release(failure),
						(locked) -> this.workEnd.then(release(new CancellationException())))
				// Reactor wraps the failure of a cleanup.
				.onErrorMap((failure) -> (this.releaseFailure != null) ? this.releaseFailure : failure);
		}

		private void acquire(MonoSink<LockedCall> sink) {
			CompletableFuture<LockedCall> waiting = ReactiveInvoker.this.lockExecutor.acquire(this.call, this.outer);
			sink.onCancel(() -> ReactiveInvoker.this.lockExecutor.cancel(waiting));
			waiting.whenComplete((locked, failure) -> {
				if (waiting.isCancelled()) {
					return;
				}
				if (failure != null) {
					sink.error(failure);
					return;
				}
				try {
					// The body may block, and the threads of AsyncLockExecutor must not.
					ReactiveInvoker.this.threads.schedule(() -> deliver(sink));
				}
				catch (RuntimeException | Error ex) {
					// Rejected, or a hook of the application has failed.
					ReactiveInvoker.this.lockExecutor.abandon(this.call, () -> sink.error(ex));
				}
			});
		}

		/**
		 * A subscriber that was cancelled meanwhile drops the locks. Nothing else
		 * releases them then.
		 */
		private void deliver(MonoSink<LockedCall> sink) {
			try {
				sink.success(this.call);
			}
			finally {
				if (!this.delivered) {
					ReactiveInvoker.this.lockExecutor.abandon(this.call, () -> {
					});
				}
			}
		}

		private Publisher<Object> work() {
			this.delivered = true;
			LockObservation section = null;
			try (LockContext.Scope scope = this.outer.open()) {
				if (this.keeper != null && !this.call.acquired().isEmpty()) {
					this.keeper.accept(this.call.acquired());
					this.kept = true;
				}
				section = this.call.section();
				List<HeldLock> current = this.call.current(this.outer.locks());
				return begin(section, current).contextWrite((context) -> context.put(LockContext.CONTEXT_KEY, current));
			}
			catch (Throwable ex) {
				if (section != null) {
					section.ended(ex);
				}
				return Flux.error(ex);
			}
		}

		private Flux<Object> begin(@Nullable LockObservation section, List<HeldLock> locks) throws Throwable {
			if (section == null) {
				return Flux.from(publisher(locks));
			}
			try (ObservationScope observed = section.openScope()) {
				return Flux.<Object>from(publisher(locks))
					.contextWrite((context) -> context.put(LockObserver.CONTEXT_KEY, section.observation()))
					.doOnError(section::ended)
					.doOnComplete(() -> section.ended(null))
					.doOnCancel(() -> section.ended(null));
			}
		}

		private Publisher<Object> publisher(List<HeldLock> locks) throws Throwable {
			LockedMethod method = this.call.locks().method();
			if (method.isSuspending()) {
				LockedCoroutine coroutine = LockedCoroutine.continueUnder(locks, this.call.invocation().getArguments());
				return start(published(this.call.resultOrNull()), coroutine.ended(), coroutine::begun);
			}
			Object result = this.call.result();
			String type = method.returnType().getName();
			if (type.equals(SuspendingFunction.FLOW)) {
				LockedCoroutine coroutine = LockedCoroutine.of(locks);
				return start(coroutine.publisher(result), coroutine.ended(), coroutine::begun);
			}
			return start(this.adapter.toPublisher(result),
					type.equals(SuspendingFunction.DEFERRED) ? LockedCoroutine.cancelled(result) : Mono.empty(), () -> {
					});
		}

		/**
		 * From here on it is certain that the work is subscribed to, if only to fail.
		 * Reactor throws an error of the JVM, such as a {@code NoClassDefFoundError}, at
		 * the code that has subscribed. Here the subscriber gets it: otherwise its locks
		 * would stay held, and the caller would wait, until the JVM ends.
		 */
		private Publisher<Object> start(Publisher<Object> work, Mono<Void> end, Runnable begun) {
			this.workEnd = end;
			return (subscriber) -> {
				try {
					work.subscribe(subscriber);
				}
				catch (Throwable ex) {
					Operators.error(Operators.toCoreSubscriber(subscriber), ex);
				}
				finally {
					begun.run();
				}
			};
		}

		/** A fallback of a suspending function may return its value as it is. */
		private static Publisher<Object> published(@Nullable Object result) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, result);
			return (adapter != null) ? adapter.toPublisher(result) : Mono.justOrEmpty(result);
		}

		private Mono<Void> release(@Nullable Throwable failure) {
			if (this.call.acquired().isEmpty()) {
				return Mono.empty();
			}
			Mono<Void> released = close(failure);
			if (this.kept) {
				released = (failure == null) ? Mono.fromRunnable(this.call::checkKept) : Mono.empty();
			}
			return released.doOnError((problem) -> this.releaseFailure = problem);
		}

		/**
		 * Code after the completion may block, so it does not run on the releasing
		 * thread.
		 */
		private Mono<Void> close(@Nullable Throwable failure) {
			return Mono.create((sink) -> ReactiveInvoker.this.lockExecutor.release(this.call, failure, (problem) -> {
				Runnable end = (problem != null && failure == null) ? () -> sink.error(problem) : sink::success;
				try {
					ReactiveInvoker.this.threads.schedule(end);
				}
				catch (RuntimeException | Error ex) {
					end.run();
				}
			}));
		}

	}

}
