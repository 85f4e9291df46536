package io.github.distlock.registry;

import org.springframework.aop.framework.ProxyFactory;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.thread.LockThreads;
import io.github.distlock.thread.LockTimers;
import io.github.distlock.thread.TimerThread;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * After an {@link Error} at any step of a wait or of a release the key is usable: later
 * callers get the lock, waiting callers continue, and no queue is left.
 */
@Execution(ExecutionMode.CONCURRENT)
class ErrorRecoveryTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** How often the step fails in a row, so that further errors follow the first one. */
	private static final int TIMES = 3;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final ErrorInjector errors = new ErrorInjector();

	private final ErrorInjector noErrors = new ErrorInjector();

	private BackendLockRegistry one;

	private BackendLockRegistry two;

	@BeforeEach
	void setUp() {
		LocalStore store = new LocalStore(TimeSource.SYSTEM);
		this.one = registry(store, this.errors);
		this.two = registry(store, this.noErrors);
	}

	private BackendLockRegistry registry(LocalStore store, ErrorInjector injector) {
		BackendLockRegistry created = new BackendLockRegistry(
				injector.before(new LocalLockBackend(store, 17, TimeSource.SYSTEM)), TestSettings.of(LEASE, LEASE, null,
						new HandOffLimits(4, Duration.ofMillis(50)), Duration.ofSeconds(5), false, Duration.ZERO),
				List::of, injector.environment(), LockObservers.NONE);
		created.start();
		return created;
	}

	@AfterEach
	void tearDown() {
		this.errors.clear();
		this.one.shutdown();
		this.two.shutdown();
		this.threads.shutdownNow();
		this.errors.close();
		this.noErrors.close();
	}

	/** How a caller acquires the lock. */
	enum Caller {

		BLOCKING(false, false), ASYNCHRONOUS(false, true), FAIR(true, false), FAIR_ASYNCHRONOUS(true, true);

		private final boolean fair;

		private final boolean asynchronous;

		Caller(boolean fair, boolean asynchronous) {
			this.fair = fair;
			this.asynchronous = asynchronous;
		}

	}

	static Stream<Arguments> all() {
		return Stream.of(Caller.values())
			.flatMap((caller) -> Stream.of(ErrorInjector.Step.values()).map((step) -> Arguments.of(caller, step)));
	}

	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("all")
	void aKeyIsUsableAfterAnErrorAtAnyStepOfAWait(Caller caller, ErrorInjector.Step step) throws Exception {
		HeldLock held = acquire(this.two, caller, LEASE);
		this.errors.fail(step, TIMES);
		Future<@Nullable HeldLock> failing = start(this.one, caller, Duration.ofMillis(300));
		endOf(failing);
		this.errors.clear();
		held.close();
		awaitUsable(caller);
	}

	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("all")
	void callersThatWaitContinueAfterAnErrorOfAnotherCaller(Caller caller, ErrorInjector.Step step) throws Exception {
		HeldLock held = acquire(this.two, caller, LEASE);
		Future<@Nullable HeldLock> patient = start(this.one, caller, Duration.ofSeconds(-1));
		Awaitility.await().until(() -> !this.one.snapshot().keys().isEmpty());
		this.errors.fail(step, TIMES);
		Future<@Nullable HeldLock> failing = start(this.one, caller, Duration.ofMillis(300));
		endOf(failing);
		this.errors.clear();
		held.close();
		// A wait without a timer ends with the error; the others get the lock.
		HeldLock acquired = endOf(patient);
		if (acquired != null) {
			acquired.close();
		}
		awaitUsable(caller);
	}

	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("all")
	void aKeyIsFreeAfterAnErrorAtAnyStepOfARelease(Caller caller, ErrorInjector.Step step) throws Exception {
		HeldLock held = acquire(this.one, caller, LEASE);
		Future<@Nullable HeldLock> patient = start(this.two, caller, Duration.ofSeconds(20));
		this.errors.fail(step, TIMES);
		closeDespiteError(held);
		this.errors.clear();
		HeldLock acquired = endOf(patient);
		assertThat(acquired).as("the lock whose release failed").isNotNull();
		acquired.close();
		awaitUsable(caller);
	}

	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("all")
	void aFutureReleaseCompletesAfterAnErrorAtAnyStep(Caller caller, ErrorInjector.Step step) throws Exception {
		HeldLock held = acquire(this.one, caller, LEASE);
		this.errors.fail(step, TIMES);
		CompletableFuture<Void> closed = held.closeAsync();
		closed.get(20, TimeUnit.SECONDS);
		this.errors.clear();
		assertThat(held.isReleased()).isTrue();
		awaitUsable(caller);
	}

	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("all")
	void aGrantGoesOnAfterAnErrorAtAnyStepThatFollowsIt(Caller caller, ErrorInjector.Step step) throws Exception {
		HeldLock held = acquire(this.two, caller, LEASE);
		Future<@Nullable HeldLock> patient = start(this.one, caller, Duration.ofSeconds(20));
		Awaitility.await().until(() -> !this.one.snapshot().keys().isEmpty());
		Future<@Nullable HeldLock> hasty = start(this.one, caller, Duration.ofMillis(100));
		this.errors.fail(step, TIMES);
		held.close();
		for (Future<@Nullable HeldLock> waiter : List.of(patient, hasty)) {
			HeldLock acquired = endOf(waiter);
			if (acquired != null) {
				closeDespiteError(acquired);
			}
		}
		this.errors.clear();
		awaitUsable(caller);
	}

	@ParameterizedTest
	@ValueSource(strings = { "endLease", "remainingMinHold" })
	void anErrorOfTheClockAtAReleaseReachesItsCallerAndLeavesNoHolder(String method) throws Exception {
		LockRequest request = LockRequest.of("key");
		HeldLock held = this.one.acquire(method.equals("endLease") ? request : request.minHold(Duration.ofMillis(1)));
		this.errors.failClockIn(method);
		assertThatExceptionOfType(InternalError.class).isThrownBy(held::close);
		awaitUsable(Caller.BLOCKING);
	}

	/** The release may meet an injected error, and no other. */
	private static void closeDespiteError(HeldLock lock) {
		try {
			lock.close();
		}
		catch (InternalError ex) {
			assertThat(ex).hasMessageContaining("injected");
		}
	}

	/** Both JVMs can use the key, and no queue is left in either. */
	private void awaitUsable(Caller caller) throws Exception {
		for (BackendLockRegistry one : List.of(this.one, this.two, this.one)) {
			for (Caller each : List.of(caller, Caller.BLOCKING)) {
				acquire(one, each, Duration.ofSeconds(15)).close();
			}
		}
		awaitIdle();
	}

	private void awaitIdle() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> this.one.snapshot().isIdle() && this.two.snapshot().isIdle());
	}

	private HeldLock acquire(BackendLockRegistry registry, Caller caller, Duration wait) throws Exception {
		HeldLock holder = start(registry, caller, wait).get(20, TimeUnit.SECONDS);
		assertThat(holder).as("the key is usable").isNotNull();
		return holder;
	}

	private Future<@Nullable HeldLock> start(BackendLockRegistry registry, Caller caller, Duration wait) {
		LockRequest request = LockRequest.of("key").fair(caller.fair).waitTime(wait);
		if (!caller.asynchronous) {
			return this.threads.submit(() -> registry.tryAcquire(request).orElse(null));
		}
		try {
			return registry.tryAcquireAsync(request).thenApply((lock) -> lock.orElse(null));
		}
		catch (InternalError ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** The caller returns, with the lock, without it or with the injected error. */
	private static @Nullable HeldLock endOf(Future<@Nullable HeldLock> waiting) throws Exception {
		try {
			return waiting.get(20, TimeUnit.SECONDS);
		}
		catch (java.util.concurrent.ExecutionException ex) {
			assertThat(ex).rootCause().hasMessageContaining("injected");
			return null;
		}
	}

	/**
	 * Injects errors around a lock acquirer: a real store, real pools and a real timer,
	 * each of which fails with an {@link Error} as often as a test asks for.
	 */
	private static final class ErrorInjector implements AutoCloseable {

		/**
		 * A step at which an error can be injected: a method, before or after it runs.
		 */
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
			ThreadPoolExecutor pool = new ThreadPoolExecutor(4, 4, 10, TimeUnit.MILLISECONDS,
					new LinkedBlockingQueue<>(), this::thread) {

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

}
