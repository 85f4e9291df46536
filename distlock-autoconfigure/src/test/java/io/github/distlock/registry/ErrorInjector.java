package io.github.distlock.registry;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.thread.LockThreads;
import io.github.distlock.thread.LockTimers;
import io.github.distlock.thread.TimerThread;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyFactory;

/**
 * Injects errors around a lock acquirer: a real store, real pools and a real timer, each
 * of which fails with an {@link Error} as often as a test asks for.
 */
final class ErrorInjector implements AutoCloseable {

	/** A step at which an error can be injected: a method, before or after it runs. */
	enum Step {

		ATTEMPT, ATTEMPT_AFTER, RELEASE, RELEASE_AFTER, CANCEL, EXECUTE, SCHEDULE, CALLBACK, THREAD_START

	}

	private final Map<String, AtomicInteger> faults = new ConcurrentHashMap<>();

	private final ThreadPoolExecutor commands = pool(Step.EXECUTE);

	private final ThreadPoolExecutor callbacks = pool(Step.CALLBACK);

	private final ThreadPoolExecutor renewals = pool(null);

	private final LockTimers timers = failing(new TimerThread(LockThreads.named("timers")), LockTimers.class);

	private final TimeSource clock = new FailingClock();

	/** The method of the engine in which the next reading of the clock fails. */
	private volatile String clockFailsIn = "";

	void failClockIn(String method) {
		this.clockFailsIn = method;
	}

	/** Fail the next calls of a step. */
	void fail(Step step, int times) {
		this.faults.put(step.name(), new AtomicInteger(times));
	}

	/** Inject no more errors. */
	void clear() {
		this.faults.clear();
	}

	private void failIfDue(String step) {
		AtomicInteger left = this.faults.get(step);
		if (left != null && left.getAndUpdate((n) -> Math.max(0, n - 1)) > 0) {
			throw new InternalError("injected at " + step);
		}
	}

	/** The machine with threads that fail. */
	EngineEnvironment environment() {
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

	/** Inject errors into the verbs of a store, before they are sent, or after. */
	LockBackend before(LockBackend real) {
		return failing(real, LockBackend.class);
	}

	private <T> T failing(T real, Class<T> type) {
		ProxyFactory factory = new ProxyFactory(type, (MethodInterceptor) this::intercept);
		factory.setTarget(real);
		return type.cast(factory.getProxy());
	}

	private @Nullable Object intercept(MethodInvocation call) throws Throwable {
		String method = call.getMethod().getName();
		if (method.equals("blocks") || method.equals("keepsOrder")) {
			return method.equals("blocks");
		}
		String step = method.toUpperCase(Locale.ROOT);
		failIfDue(step);
		Object result = call.proceed();
		failIfDue(step + "_AFTER");
		return (result instanceof LockStore store) ? failing(store, LockStore.class) : result;
	}

	private ThreadPoolExecutor pool(@Nullable Step step) {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(4, 4, 10, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(),
				this::thread) {

			@Override
			public void execute(Runnable task) {
				if (step != null) {
					failIfDue(step.name());
				}
				super.execute(task);
			}

		};
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	private Thread thread(Runnable task) {
		Thread thread = new Thread(task) {

			@Override
			public void start() {
				failIfDue(Step.THREAD_START.name());
				super.start();
			}

		};
		thread.setDaemon(true);
		return thread;
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

}
