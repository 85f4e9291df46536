package io.github.distlock.waiting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.waiting.ErrorInjector.Step;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

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

	private final List<LockStore> stores = new ArrayList<>();

	private LockAcquirer acquirer;

	private LockAcquirer other;

	@BeforeEach
	void setUp() {
		LocalStore store = new LocalStore(TimeSource.SYSTEM);
		this.acquirer = acquirer("one", store, this.errors);
		this.other = acquirer("two", store, this.noErrors);
	}

	private LockAcquirer acquirer(String instance, LocalStore store, ErrorInjector injector) {
		AcquirerSignals signals = new AcquirerSignals();
		LockBackend backend = injector.before(new LocalLockBackend(store, 17, TimeSource.SYSTEM));
		LockStore opened = backend.open(new StoreContext(LockInstance.of(instance), signals));
		LockAcquirer created = new LockAcquirer(opened, backend.description(), instance, Duration.ofSeconds(5),
				new HandOffLimits(4, Duration.ofMillis(50)), EngineEnvironment.SYSTEM, injector.commands(),
				injector.callbacks(), injector.timers());
		signals.acquirer = created;
		this.stores.add(opened);
		return created;
	}

	@AfterEach
	void tearDown() {
		this.errors.clear();
		this.acquirer.close();
		this.other.close();
		this.threads.shutdownNow();
		this.stores.forEach(LockStore::close);
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
			.flatMap((caller) -> Stream.of(Step.values()).map((step) -> Arguments.of(caller, step)));
	}

	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("all")
	void aKeyIsUsableAfterAnErrorAtAnyStepOfAWait(Caller caller, Step step) throws Exception {
		Holder held = acquire(this.other, caller, LEASE);
		this.errors.fail(step, TIMES);
		Future<@Nullable Holder> failing = start(this.acquirer, caller, Duration.ofMillis(300));
		endOf(failing);
		this.errors.clear();
		release(this.other, held);
		awaitUsable(caller);
	}

	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("all")
	void callersThatWaitContinueAfterAnErrorOfAnotherCaller(Caller caller, Step step) throws Exception {
		Holder held = acquire(this.other, caller, LEASE);
		Future<@Nullable Holder> patient = start(this.acquirer, caller, Duration.ofSeconds(-1));
		Awaitility.await().until(() -> !this.acquirer.snapshot().isEmpty());
		this.errors.fail(step, TIMES);
		Future<@Nullable Holder> failing = start(this.acquirer, caller, Duration.ofMillis(300));
		endOf(failing);
		this.errors.clear();
		release(this.other, held);
		// A wait without a timer ends with the error; the others get the lock.
		Holder acquired = endOf(patient);
		if (acquired != null) {
			release(this.acquirer, acquired);
		}
		awaitUsable(caller);
	}

	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("all")
	void aKeyIsFreeAfterAnErrorAtAnyStepOfARelease(Caller caller, Step step) throws Exception {
		Holder held = acquire(this.acquirer, caller, LEASE);
		Future<@Nullable Holder> patient = start(this.other, caller, Duration.ofSeconds(20));
		this.errors.fail(step, TIMES);
		try {
			release(this.acquirer, held);
		}
		catch (InternalError ex) {
			assertThat(ex).hasMessageContaining("injected");
		}
		this.errors.clear();
		Holder acquired = endOf(patient);
		assertThat(acquired).as("the lock whose release failed").isNotNull();
		release(this.other, acquired);
		awaitUsable(caller);
	}

	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("all")
	void aGrantGoesOnAfterAnErrorAtAnyStepThatFollowsIt(Caller caller, Step step) throws Exception {
		Holder held = acquire(this.other, caller, LEASE);
		Future<@Nullable Holder> patient = start(this.acquirer, caller, Duration.ofSeconds(20));
		Awaitility.await().until(() -> !this.acquirer.snapshot().isEmpty());
		Future<@Nullable Holder> hasty = start(this.acquirer, caller, Duration.ofMillis(100));
		this.errors.fail(step, TIMES);
		release(this.other, held);
		for (Future<@Nullable Holder> waiter : List.of(patient, hasty)) {
			Holder acquired = endOf(waiter);
			if (acquired != null) {
				try {
					release(this.acquirer, acquired);
				}
				catch (InternalError ex) {
					assertThat(ex).hasMessageContaining("injected");
				}
			}
		}
		this.errors.clear();
		awaitUsable(caller);
	}

	/** Both JVMs can use the key, and no queue is left in either. */
	private void awaitUsable(Caller caller) throws Exception {
		for (LockAcquirer one : List.of(this.acquirer, this.other, this.acquirer)) {
			for (Caller each : List.of(caller, Caller.BLOCKING)) {
				release(one, acquire(one, each, Duration.ofSeconds(15)));
			}
		}
		awaitNoQueue();
	}

	private void awaitNoQueue() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> this.acquirer.snapshot().isEmpty() && this.other.snapshot().isEmpty());
	}

	private Holder acquire(LockAcquirer acquirer, Caller caller, Duration wait) throws Exception {
		Holder holder = start(acquirer, caller, wait).get(20, TimeUnit.SECONDS);
		assertThat(holder).as("the key is usable").isNotNull();
		return holder;
	}

	private Future<@Nullable Holder> start(LockAcquirer acquirer, Caller caller, Duration wait) {
		WaitRequest request = new WaitRequest("key", LockMode.EXCLUSIVE, caller.fair, LEASE, wait, Integer.MAX_VALUE,
				(since) -> {
				});
		if (!caller.asynchronous) {
			return this.threads.submit(() -> acquirer.acquire(request, true));
		}
		try {
			return acquirer.acquireAsync(request);
		}
		catch (InternalError ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** The caller returns, with the lock, without it or with the injected error. */
	private static @Nullable Holder endOf(Future<@Nullable Holder> waiting) throws Exception {
		try {
			return waiting.get(20, TimeUnit.SECONDS);
		}
		catch (java.util.concurrent.ExecutionException ex) {
			assertThat(ex).rootCause().hasMessageContaining("injected");
			return null;
		}
	}

	private static void release(LockAcquirer acquirer, Holder holder) {
		acquirer.releases().release(holder, Validity.until(TimeSource.SYSTEM.now(), LEASE), LEASE, false, null);
	}

}
