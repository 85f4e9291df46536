package io.github.distlock.backend.jdbc;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.github.distlock.transaction.TransactionFence;
import io.github.distlock.transaction.TransactionLockRegistry;
import io.github.distlock.transaction.TransactionLocks;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.function.ThrowingSupplier;

/**
 * The store {@code transaction} of the contract tests: what callers of one JVM have among
 * themselves is a backend of its own, and each call runs in a transaction.
 */
final class TransactionUnderTest implements StoreUnderTest {

	private final HikariDataSource pool;

	TransactionUnderTest(TestDatabase database) {
		// Callers of a test that wait do so in transactions.
		this.pool = database.pool(60, (settings) -> settings.setTransactionIsolation("TRANSACTION_READ_COMMITTED"));
	}

	@Override
	public LockBackend newBackend(TimeSource clock) {
		return LocalLockBackend.withoutLeases(TransactionLocks.STORE, clock);
	}

	@Override
	public boolean locksAreTransactions() {
		return true;
	}

	@Override
	public LockRegistry callers(LockRegistry registry) {
		TransactionFence fence = new TransactionFence("contract:", "unused", List.of(), (dataSource) -> "", false,
				new TransactionLocks(this.pool, "contract:", "distlock_lock"));
		CommitGuard guard = new CommitGuard(() -> new CommitTerms(true, Duration.ZERO), () -> fence);
		Object manager = guard.postProcessAfterInitialization(new JdbcTransactionManager(this.pool), "manager");
		return new TransactionCallers(
				new TransactionLockRegistry(registry, null, fence, patience(), (event, request) -> {
				}, () -> {
				}), new TransactionTemplate((PlatformTransactionManager) manager));
	}

	/** A lock of the registry whose transaction does not have it yet is waited for. */
	@Override
	public int waiting(LockRegistry callers, int waiting, int held) {
		return waiting + held - ((TransactionCallers) callers).holders();
	}

	/** Rows remain, and mean nothing. */
	@Override
	public void clear() {
	}

	@Override
	public long items() {
		return 0;
	}

	@Override
	public Duration memory() {
		return Duration.ZERO;
	}

	@Override
	public boolean tokensSurviveLoss() {
		return false;
	}

	@Override
	public void close() {
		this.pool.close();
	}

	/**
	 * Locks of transactions, for callers that close them: each caller has a thread with a
	 * transaction, which executes its work until the lock is closed, and commits. A
	 * caller that has a lock enters others in the same transaction.
	 */
	private static final class TransactionCallers implements LockRegistry {

		private static final Executor NEW_THREAD = (task) -> new Thread(task).start();

		private final LockRegistry locks;

		private final TransactionTemplate transaction;

		private final AtomicInteger holders = new AtomicInteger();

		/** The last lock of each caller that has one. */
		private final Map<Thread, Call> calls = new ConcurrentHashMap<>();

		TransactionCallers(LockRegistry locks, TransactionTemplate transaction) {
			this.locks = locks;
			this.transaction = transaction;
		}

		/** The number of callers whose transactions have their locks. */
		int holders() {
			return this.holders.get();
		}

		@Override
		public HeldLock acquire(LockRequest request) {
			Thread caller = Thread.currentThread();
			Call outer = this.calls.get(caller);
			Call call = new Call(caller, outer, request);
			Executor thread = (outer != null) ? outer.works::add : NEW_THREAD;
			thread.execute(call);
			HeldLock lock = join(call.entered);
			this.calls.put(caller, call);
			return (HeldLock) Proxy.newProxyInstance(HeldLock.class.getClassLoader(), new Class<?>[] { HeldLock.class },
					(proxy, method, arguments) -> {
						if (method.getName().equals("close") && !call.ended.isDone()) {
							call.close();
							return null;
						}
						return AopUtils.invokeJoinpointUsingReflection(lock, method, arguments);
					});
		}

		private static <T> T join(CompletableFuture<T> answer) {
			try {
				return answer.join();
			}
			catch (CompletionException ex) {
				throw (RuntimeException) ex.getCause();
			}
		}

		@Override
		public Optional<HeldLock> tryAcquire(LockRequest request) {
			try {
				return Optional.of(acquire(request));
			}
			catch (LockNotAcquiredException ex) {
				return Optional.empty();
			}
		}

		@Override
		public <T> T execute(LockRequest request, Callable<T> action) throws Exception {
			return this.locks.execute(request, action);
		}

		@Override
		public Lock obtain(String key) {
			return this.locks.obtain(key);
		}

		@Override
		public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
			return this.locks.acquireAsync(request);
		}

		@Override
		public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
			return this.locks.tryAcquireAsync(request);
		}

		private final class Call implements Runnable {

			private final Thread caller;

			private final @Nullable Call outer;

			private final LockRequest request;

			private final BlockingQueue<Runnable> works = new LinkedBlockingQueue<>();

			private final CompletableFuture<HeldLock> entered = new CompletableFuture<>();

			private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

			private volatile boolean closed;

			private Call(Thread caller, @Nullable Call outer, LockRequest request) {
				this.caller = caller;
				this.outer = outer;
				this.request = request;
			}

			@Override
			public void run() {
				try {
					Boolean held = TransactionCallers.this.transaction.execute((status) -> work());
					TransactionCallers.this.holders.addAndGet((this.outer != null) ? 0 : -1);
					this.ended.complete(held);
				}
				catch (RuntimeException | Error ex) {
					this.entered.completeExceptionally(ex);
					this.ended.completeExceptionally(ex);
				}
			}

			private boolean work() {
				return ThrowingSupplier.of(() -> TransactionCallers.this.locks.execute(this.request, () -> {
					TransactionCallers.this.holders.addAndGet((this.outer != null) ? 0 : 1);
					this.entered.complete(LockContext.current().orElseThrow());
					while (!this.closed) {
						this.works.take().run();
					}
					return true;
				})).get();
			}

			private void close() {
				this.works.add(() -> this.closed = true);
				join(this.ended);
				if (this.outer != null) {
					TransactionCallers.this.calls.put(this.caller, this.outer);
				}
				else {
					TransactionCallers.this.calls.remove(this.caller, this);
				}
			}

		}

	}

}
