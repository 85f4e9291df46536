package io.github.distlock.registry;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.contract.ForwardingBackend;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.thread.LockThreads;
import io.github.distlock.thread.LockTimers;
import io.github.distlock.thread.TimerThread;
import org.jspecify.annotations.Nullable;

/**
 * Injects errors around a lock acquirer: a real store, real pools and a real timer, each
 * of which fails with an {@link Error} as often as a test asks for.
 */
public final class ErrorInjector implements AutoCloseable {

	/** A step at which an error can be injected. */
	public enum Step {

		ATTEMPT, ATTEMPT_AFTER, RELEASE, RELEASE_AFTER, CANCEL, EXECUTE, SCHEDULE, CALLBACK, THREAD_START

	}

	private final Map<Step, AtomicInteger> faults = new ConcurrentHashMap<>();

	private final ThreadPoolExecutor commands = pool(Step.EXECUTE);

	private final ThreadPoolExecutor callbacks = pool(Step.CALLBACK);

	private final ThreadPoolExecutor renewals = pool(null);

	private final LockTimers timers = new FailingTimers();

	private final TimeSource clock = new FailingClock();

	/** The method of the engine in which the next reading of the clock fails. */
	private volatile String clockFailsIn = "";

	void failClockIn(String method) {
		this.clockFailsIn = method;
	}

	/** Fail the next calls of a step. */
	public void fail(Step step, int times) {
		this.faults.put(step, new AtomicInteger(times));
	}

	/** Inject no more errors. */
	public void clear() {
		this.faults.clear();
	}

	private void failIfDue(Step step) {
		AtomicInteger left = this.faults.get(step);
		if (left != null && left.getAndUpdate((n) -> Math.max(0, n - 1)) > 0) {
			throw new InternalError("injected at " + step);
		}
	}

	/** The machine with threads that fail. */
	public EngineEnvironment environment() {
		return new CheckedEnvironment() {

			@Override
			public TimeSource clock() {
				return ErrorInjector.this.clock;
			}

			@Override
			public EngineThreads newThreads() {
				return new EngineThreads(ErrorInjector.this.commands, ErrorInjector.this.renewals,
						ErrorInjector.this.callbacks, ErrorInjector.this.timers);
			}

		};
	}

	/** Inject errors into the verbs of a store. */
	public LockBackend before(LockBackend real) {
		return new FailingBackend(real);
	}

	private ThreadPoolExecutor pool(@Nullable Step step) {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(4, 4, 10, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(),
				factory()) {

			@Override
			public void execute(Runnable task) {
				if (step != null) {
					failIfDue(step);
				}
				super.execute(task);
			}

		};
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	private ThreadFactory factory() {
		return (task) -> {
			Thread thread = new Thread(task) {

				@Override
				public void start() {
					failIfDue(Step.THREAD_START);
					super.start();
				}

			};
			thread.setDaemon(true);
			return thread;
		};
	}

	@Override
	public void close() {
		this.timers.stop();
		this.commands.shutdownNow();
		this.callbacks.shutdownNow();
		this.renewals.shutdownNow();
	}

	/** A clock of which one reading fails. */
	private final class FailingClock implements TimeSource {

		@Override
		public long nanoTime() {
			String method = ErrorInjector.this.clockFailsIn;
			if (!method.isEmpty() && StackWalker.getInstance()
				.walk((frames) -> frames.anyMatch((frame) -> frame.getMethodName().equals(method)))) {
				ErrorInjector.this.clockFailsIn = "";
				throw new InternalError("injected at the clock");
			}
			return SYSTEM.nanoTime();
		}

		@Override
		public long wallMillis() {
			return SYSTEM.wallMillis();
		}

	}

	/** Timers that cannot be set. */
	private final class FailingTimers implements LockTimers {

		private final LockTimers real = new TimerThread(LockThreads.named("timers"));

		@Override
		public Future<?> schedule(Runnable task, long delayNanos) {
			failIfDue(Step.SCHEDULE);
			return this.real.schedule(task, delayNanos);
		}

		@Override
		public RepeatedTask repeat(LongSupplier task, long retryNanos) {
			return this.real.repeat(task, retryNanos);
		}

		@Override
		public int size() {
			return this.real.size();
		}

		@Override
		public void stop() {
			this.real.stop();
		}

	}

	/** Opens stores whose verbs fail. */
	private final class FailingBackend extends ForwardingBackend {

		FailingBackend(LockBackend real) {
			super(real);
		}

		@Override
		public LockStore open(StoreContext context) {
			return new FailingStore(super.open(context));
		}

	}

	/** A store whose verbs fail before they are sent, or after. */
	private final class FailingStore extends ForwardingBackend.ForwardingStore {

		FailingStore(LockStore real) {
			super(real);
		}

		@Override
		public boolean blocks() {
			return true;
		}

		@Override
		public boolean keepsOrder() {
			return false;
		}

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
			failIfDue(Step.ATTEMPT);
			CompletionStage<AttemptResult> result = super.attempt(ticket, lease, queue);
			failIfDue(Step.ATTEMPT_AFTER);
			return result;
		}

		@Override
		public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
			failIfDue(Step.RELEASE);
			CompletionStage<ReleaseResult> result = super.release(ticket, lastToken, next);
			failIfDue(Step.RELEASE_AFTER);
			return result;
		}

		@Override
		public CompletionStage<?> cancel(Ticket ticket) {
			failIfDue(Step.CANCEL);
			return super.cancel(ticket);
		}

	}

}
