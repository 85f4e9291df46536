package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.ReactiveLockContext;
import io.github.distlock.transaction.ReactiveTransactions;
import io.github.distlock.transaction.ReactiveTransactions.Keeper;
import io.github.distlock.transaction.ReactiveTransactions.Running;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.Assert;

/**
 * For methods that return a reactive type: each subscriber calls the method anew, under a
 * lock of its own that is held until the publisher has completed, failed, or was
 * cancelled. Whatever goes wrong, the publisher says it. Loaded only where Reactor is.
 */
final class ReactiveInvoker implements LockInvoker {

	private final AsyncLockExecutor locks;

	private final TransactionalCalls transactionalCalls;

	private final ReactiveTransactions transactions = ReactiveTransactions.create();

	private final Scheduler threads;

	ReactiveInvoker(AsyncLockExecutor locks, TransactionalCalls transactionalCalls,
			@Nullable ClassLoader beanClassLoader) {
		this.locks = locks;
		this.threads = ReactiveThreads.create(beanClassLoader);
		this.transactionalCalls = transactionalCalls;
	}

	@Override
	public Object run(LockedMethod where, Supplier<LockedInvocation> call) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(where.returnType());
		Assert.state(adapter != null, () -> where + " returns no reactive type");
		Flux<Object> stay = this.transactions.current()
			.map(Optional::of)
			.defaultIfEmpty(Optional.empty())
			.flatMapMany((transaction) -> Flux
				.deferContextual((context) -> new Stay(where, adapter, call.get().decorated(DetachedInvocation::of),
						outer(context, transaction), transaction.orElse(null))
					.run()));
		// A single value waits for the completion, and so for the release.
		return adapter.fromPublisher(adapter.isMultiValue() ? stay : stay.singleOrEmpty());
	}

	/** The innermost first; each once, though its method may still run. */
	private static List<HeldLock> outer(ContextView context, Optional<Running> transaction) {
		Set<HeldLock> outer = new LinkedHashSet<>(ReactiveLockContext.all(context));
		transaction.ifPresent((running) -> outer.addAll(running.kept()));
		return List.copyOf(outer);
	}

	/** One subscription. */
	private final class Stay {

		private final LockedMethod where;

		private final ReactiveAdapter adapter;

		private final LockedInvocation call;

		private final List<HeldLock> outer;

		private final @Nullable Running transaction;

		/** Where the locks are kept for the transaction, if it is to keep them. */
		private @Nullable Keeper keeper;

		/** Whether the transaction gives the locks back, when it has completed. */
		private volatile boolean kept;

		/** Why the release failed of work that did not. */
		private volatile @Nullable Throwable lost;

		/** Set by the thread that delivers the locks, while it delivers them. */
		private boolean delivered;

		Stay(LockedMethod where, ReactiveAdapter adapter, LockedInvocation call, List<HeldLock> outer,
				@Nullable Running transaction) {
			this.where = where;
			this.adapter = adapter;
			this.call = call;
			this.outer = outer;
			this.transaction = transaction;
		}

		Flux<Object> run() {
			if (this.call.wanted().isEmpty()) {
				return Flux.from(work(new AsyncAnswerOfLocks.Entered(List.of())));
			}
			if (this.transaction != null) {
				ReactiveInvoker.this.transactionalCalls.checkSubscribed(this.call.wanted().get(0).definition());
				this.keeper = ReactiveInvoker.this.transactionalCalls.keeps(this.where)
						? this.transaction.keeper((had) -> release(had, null)) : null;
			}
			return Flux
				.usingWhen(Mono.<AsyncAnswerOfLocks>create(this::enter), this::work, (entry) -> leave(entry, null),
						this::leave, (entry) -> leave(entry, new CancellationException()))
				// Reactor wraps what a cleanup fails with.
				.onErrorMap((failure) -> (this.lost != null) ? this.lost : failure);
		}

		private void enter(MonoSink<AsyncAnswerOfLocks> sink) {
			CompletableFuture<AsyncAnswerOfLocks> waiting = ReactiveInvoker.this.locks.take(this.call, this.outer);
			sink.onCancel(() -> ReactiveInvoker.this.locks.giveUp(waiting));
			AsyncAnswerOfLocks[] found = new AsyncAnswerOfLocks[1];
			Runnable body = CallerContext.withClassLoader(() -> deliver(found[0], sink));
			waiting.whenComplete((entry, failure) -> {
				if (failure != null) {
					if (!waiting.isCancelled()) {
						sink.error(failure);
					}
					return;
				}
				try {
					// The body may block, and the threads of AsyncLockExecutor must not.
					found[0] = entry;
					ReactiveInvoker.this.threads.schedule(body);
				}
				catch (RuntimeException | Error ex) {
					// Rejected, or a hook of the application has failed.
					ReactiveInvoker.this.locks.giveBack(this.call, AsyncResult.locks(entry), () -> sink.error(ex));
				}
			});
		}

		/**
		 * A subscriber that was cancelled meanwhile drops what it is given: then nobody
		 * else gives the locks back.
		 */
		private void deliver(AsyncAnswerOfLocks entry, MonoSink<AsyncAnswerOfLocks> sink) {
			try {
				sink.success(entry);
			}
			finally {
				if (!this.delivered) {
					ReactiveInvoker.this.locks.giveBack(this.call, AsyncResult.locks(entry), () -> {
					});
				}
			}
		}

		private Publisher<Object> work(AsyncAnswerOfLocks entry) {
			this.delivered = true;
			LockContext.Scope scope = LockContext.openAll(this.outer);
			try {
				keep(AsyncResult.locks(entry));
				Object result = AsyncResult.present(AsyncResult.of(this.call, entry), this.where);
				List<HeldLock> current = new ArrayList<>(AsyncResult.locks(entry));
				Collections.reverse(current);
				current.addAll(this.outer);
				return Flux.<Object>from(this.adapter.toPublisher(result))
					.contextWrite((context) -> context.put(LockContext.CONTEXT_KEY, List.copyOf(current)));
			}
			catch (Throwable ex) {
				return Flux.error(ex);
			}
			finally {
				scope.close();
			}
		}

		private void keep(List<HeldLock> had) {
			if (this.keeper != null && !had.isEmpty()) {
				this.keeper.keep(had);
				this.kept = true;
			}
		}

		private Mono<Void> leave(AsyncAnswerOfLocks entry, @Nullable Throwable failure) {
			List<HeldLock> had = AsyncResult.locks(entry);
			if (had.isEmpty()) {
				return Mono.empty();
			}
			Mono<Void> left = this.kept ? Mono.fromRunnable(() -> leaveKept(had, failure)) : release(had, failure);
			return left.doOnError((problem) -> this.lost = problem);
		}

		private static void leaveKept(List<HeldLock> had, @Nullable Throwable failure) {
			if (failure == null) {
				LockRelease.LEAVING.afterReturn(had);
			}
		}

		/** What comes after the completion may block: not on a thread of ours. */
		private Mono<Void> release(List<HeldLock> had, @Nullable Throwable failure) {
			return Mono.create((sink) -> ReactiveInvoker.this.locks.leave(had, failure, (outcome) -> {
				Runnable end = () -> end(sink, (failure == null) ? outcome : null);
				try {
					ReactiveInvoker.this.threads.schedule(end);
				}
				catch (RuntimeException | Error ex) {
					end.run();
				}
			}));
		}

		private static void end(MonoSink<Void> sink, @Nullable Throwable problem) {
			if (problem != null) {
				sink.error(problem);
			}
			else {
				sink.success();
			}
		}

	}

}
