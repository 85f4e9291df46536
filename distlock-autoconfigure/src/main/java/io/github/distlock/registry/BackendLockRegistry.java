package io.github.distlock.registry;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockListener;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.RunResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.engine.HeldLocks;
import io.github.distlock.engine.Hold;
import io.github.distlock.engine.LockListeners;
import io.github.distlock.engine.LockRecording;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.observation.LockedWork;
import io.github.distlock.registry.Caller.Callers;
import io.github.distlock.registry.RegistrySnapshot.HoldSummary;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A {@link LockRegistry} over one store. Works between {@link #start()} and
 * {@link #shutdown()}, and can be started again. Locks with a lease that are held at that
 * moment are lost then.
 */
public final class BackendLockRegistry implements LockRegistry {

	private final LockBackend backend;

	private final RegistrySettings settings;

	private final LockListeners listeners;

	private final EngineEnvironment environment;

	private final LockObservers observers;

	/** The locks of each thread: a thread may unlock after a shutdown. */
	private final ThreadLocal<Map<String, Hold>> holdsOfThread = ThreadLocal.withInitial(HashMap::new);

	private final Lock lifecycleLock;

	/**
	 * Set while the registry is running. Guarded by {@link #lifecycleLock} for writing.
	 */
	private volatile @Nullable LockAcquirer acquirer;

	/** Guarded by {@link #lifecycleLock} for writing. */
	private volatile boolean stopping;

	/**
	 * The locks that were held at the last shutdown. Guarded by {@link #lifecycleLock}.
	 */
	private @Nullable HeldLocks heldAtShutdown;

	/**
	 * Create a registry, which works after {@link #start()}.
	 * @param backend the backend
	 * @param settings defaults and limits
	 * @param listeners the listeners to notify
	 * @param clock the time source
	 */
	public BackendLockRegistry(LockBackend backend, RegistrySettings settings, List<LockListener> listeners,
			TimeSource clock) {
		this(backend, settings, () -> listeners, clock, LockObservers.NONE);
	}

	/**
	 * Create a registry whose acquisitions are observed, and which looks up its listeners
	 * at the first event, or by {@link #findListeners()}, so that they may depend on
	 * beans that need the registry.
	 * @param backend the backend
	 * @param settings defaults and limits
	 * @param listeners called at the first event, and again at the next event if it fails
	 * @param clock the time source
	 * @param observers finds the observer at the first acquisition
	 */
	public BackendLockRegistry(LockBackend backend, RegistrySettings settings, Supplier<List<LockListener>> listeners,
			TimeSource clock, LockObservers observers) {
		this(backend, settings, listeners, EngineEnvironment.of(clock), observers);
	}

	/**
	 * Create a registry in another environment than the machine.
	 * @param backend the backend
	 * @param settings defaults and limits
	 * @param listeners called at the first event, and again at the next event if it fails
	 * @param environment the clocks, threads and locks of the registry
	 * @param observers finds the observer at the first acquisition
	 */
	public BackendLockRegistry(LockBackend backend, RegistrySettings settings, Supplier<List<LockListener>> listeners,
			EngineEnvironment environment, LockObservers observers) {
		this.backend = backend;
		this.settings = settings;
		this.listeners = new LockListeners(listeners,
				new LockRecording(backend.description().name(), settings.recordKeys()));
		this.environment = environment;
		this.lifecycleLock = environment.newLock();
		this.observers = observers;
	}

	/**
	 * Start the registry. Does nothing if it is running. Does not fail if the store
	 * cannot be reached. Locks with a lease that are still held from before a shutdown
	 * are lost: nothing renews them or can release them any more.
	 */
	public void start() {
		HeldLocks earlier;
		this.lifecycleLock.lock();
		try {
			if (this.acquirer != null) {
				return;
			}
			Set<Caller> waiting = ConcurrentHashMap.newKeySet();
			Callers callers = new Callers(this.backend.description().name(), this.listeners, this.observers,
					this.environment.clock(), waiting);
			// As in HeldLocks: initializes the class at the start.
			new Caller(callers, LockRequest.of("start"), null, LockOutcome.SKIPPED);
			this.acquirer = new LockAcquirer(
					new RegistryRuntime(this.backend, this.settings, callers, this.environment, this.holdsOfThread),
					this.backend, this.settings, this.environment);
			earlier = this.heldAtShutdown;
			this.heldAtShutdown = null;
		}
		finally {
			this.lifecycleLock.unlock();
		}
		// Not under the lock: listeners are notified.
		if (earlier != null && this.backend.description().expires()) {
			earlier.loseAll();
		}
	}

	/**
	 * Look up the listeners and the observer, so that the first event and the first
	 * acquisition need not: in an application, that is a search among all of its beans.
	 * Does not fail: what cannot be found yet is looked up when it is needed.
	 */
	public void findListeners() {
		this.listeners.find();
		this.observers.get();
	}

	/**
	 * Refuse new acquisitions, fail the waiting ones, and wait for held locks within the
	 * grace period. Locks that are still held after it are no longer renewed and end with
	 * their leases. Blocks for the grace period at most, and slightly longer for commands
	 * that have been sent. Does nothing while another thread shuts the registry down: a
	 * client of the store that never closes keeps that thread only.
	 */
	public void shutdown() {
		if (this.stopping) {
			return;
		}
		this.lifecycleLock.lock();
		try {
			LockAcquirer current = this.acquirer;
			if (current != null) {
				this.stopping = true;
				try {
					current.runtime().close(this.settings.shutdownGrace().toNanos());
				}
				finally {
					this.heldAtShutdown = current.runtime().heldLocks();
					this.acquirer = null;
					this.stopping = false;
				}
			}
		}
		finally {
			this.lifecycleLock.unlock();
		}
	}

	/**
	 * Return what the store is and which modes it supports. Sends no command.
	 * @return the description
	 */
	public BackendDescription description() {
		return this.backend.description();
	}

	/**
	 * Refuse a request that this registry or its store does not support. Sends no
	 * command, and does not start the registry.
	 * @param request the request
	 * @throws io.github.distlock.LockDefinitionException if it is not supported
	 */
	public void validate(LockRequest request) {
		new RequestTerms(this.backend, this.settings).validate(request);
	}

	/**
	 * Notify the listeners of an attempt that has ended outside of the registry.
	 * @param event the event
	 * @param request what was requested, with the prefix of its key
	 */
	public void notifyListeners(LockListener.Attempted event, LockRequest request) {
		this.listeners.notifyEach((listener) -> listener.onAttempted(event, request));
	}

	@Override
	public Lock obtain(String key) {
		// A view cannot say that it was refused.
		LockRequest request = LockRequest.of(key).maxWaiting(Integer.MAX_VALUE);
		LockKeys.validate(key);
		return new LockView(request, this);
	}

	@Override
	public HeldLock acquire(LockRequest request) {
		LockAcquirer acquirer = running();
		Caller caller = acquirer.caller(request, Thread.currentThread(), LockOutcome.TIMEOUT);
		return acquirer.required(caller, acquirer.acquire(caller));
	}

	@Override
	public Optional<HeldLock> tryAcquire(LockRequest request) {
		LockAcquirer acquirer = running();
		Caller caller = acquirer.caller(request, Thread.currentThread(), LockOutcome.SKIPPED);
		return Optional.ofNullable(acquirer.acquire(caller));
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
		return running().acquireAsync(request);
	}

	@Override
	public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
		return running().tryAcquireAsync(request, Optional::ofNullable);
	}

	@Override
	public <T> T execute(LockRequest request, Callable<T> action) throws Exception {
		Assert.notNull(action, RequestTerms.NO_ACTION);
		return execute(acquire(request), request, action);
	}

	/** The caller has chosen to go on without the lock: that is reported as skipped. */
	@Override
	public <T extends @Nullable Object> RunResult<T> tryRun(LockRequest request, Callable<T> action) throws Exception {
		Assert.notNull(action, RequestTerms.NO_ACTION);
		LockAcquirer acquirer = running();
		Caller caller = acquirer.caller(request, Thread.currentThread(), LockOutcome.SKIPPED);
		HeldLock lock = acquirer.acquire(caller);
		return (lock != null) ? new RunResult.Ran<>(execute(lock, request, action))
				: new RunResult.NotRun<>(acquirer.notAcquired(caller));
	}

	private <T extends @Nullable Object> T execute(HeldLock lock, LockRequest request, Callable<T> action)
			throws Exception {
		return LockedWork.run(lock, this.observers, this.backend.description().name(), request.mode(), action);
	}

	/**
	 * Return whether the registry is running.
	 * @return whether locks can be acquired
	 */
	public boolean isRunning() {
		return this.acquirer != null;
	}

	/**
	 * Return how long locks have been held, and how many of them are at risk. Sends no
	 * command.
	 * @return the figures, zero if the registry is not running
	 */
	public HoldSummary holdSummary() {
		return isRunning() ? HoldSummary.of(snapshot()) : new HoldSummary(Collections.emptyMap(), 0);
	}

	/**
	 * Return which locks callers of this JVM hold and wait for now. Sends no command and
	 * changes nothing.
	 * @return the snapshot
	 * @throws LockBackendException if the registry is not running
	 */
	public RegistrySnapshot snapshot() {
		return running().runtime().snapshot();
	}

	/**
	 * Return what the store tells operators. Its methods send commands.
	 * @return the inspection of the store that is open now
	 * @throws UnsupportedOperationException if the store offers none
	 * @throws LockBackendException if the registry is not running
	 */
	public StoreInspection inspection() {
		StoreInspection inspection = store().inspection();
		if (inspection == null) {
			throw new UnsupportedOperationException("The store '" + description().name()
					+ "' does not say what holds a lock: ask the store itself, with its own tools");
		}
		return inspection;
	}

	/**
	 * Return the store that is open now.
	 * @return the store, which the registry closes
	 * @throws LockBackendException if the registry is not running
	 */
	public LockStore store() {
		return running().runtime().store();
	}

	/** Return the lock of a key that the calling thread holds, from any run. */
	@Nullable Hold holdOfThisThread(String key) {
		return this.holdsOfThread.get().get(key);
	}

	/** Return what acquires locks. */
	LockAcquirer running() {
		LockAcquirer current = this.acquirer;
		if (current == null) {
			throw new LockBackendException("The lock registry is not running: locks can be acquired from the start of"
					+ " the application context until its shutdown");
		}
		return current;
	}

}
