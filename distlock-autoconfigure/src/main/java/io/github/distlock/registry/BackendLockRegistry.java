package io.github.distlock.registry;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockListener;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.UnsupportedStoreOperationException;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.observation.LockObservers;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LockRegistry} over one store. Works between {@link #start()} and
 * {@link #shutdown()}, and can be started again. Locks with a lease that are held at that
 * moment are lost then.
 */
public final class BackendLockRegistry implements LockRegistry {

	private final LockBackend backend;

	private final RegistrySettings settings;

	private final CompositeLockListener listeners;

	private final EngineEnvironment environment;

	private final LockObservers observers;

	private final HoldSummary.Latest holdSummary;

	private final Lock lifecycleLock;

	/**
	 * Set while the registry is running. Guarded by {@link #lifecycleLock} for writing.
	 */
	private volatile @Nullable LockOperations operations;

	/** Guarded by {@link #lifecycleLock} for writing. */
	private volatile boolean stopping;

	/**
	 * The held locks of earlier runs, the latest first: a thread may unlock after a
	 * shutdown. Each thread that holds a lock references the object that contains it, so
	 * weak references are sufficient. Immutable; guarded by {@link #lifecycleLock} for
	 * writing.
	 */
	private volatile List<WeakReference<HeldLocks>> earlierHeldLocks = List.of();

	/**
	 * Create a registry, which works after {@link #start()}.
	 * @param backend the backend
	 * @param settings defaults and limits
	 * @param listeners the listeners to notify
	 * @param clock the time source
	 */
	public BackendLockRegistry(LockBackend backend, RegistrySettings settings, List<LockListener> listeners,
			TimeSource clock) {
		this(backend, settings, () -> listeners, clock);
	}

	/**
	 * Create a registry which looks up its listeners at the first event, or by
	 * {@link #findListeners()}, so that they may depend on beans that need the registry.
	 * @param backend the backend
	 * @param settings defaults and limits
	 * @param listeners called at the first event, and again at the next event if it fails
	 * @param clock the time source
	 */
	public BackendLockRegistry(LockBackend backend, RegistrySettings settings, Supplier<List<LockListener>> listeners,
			TimeSource clock) {
		this(backend, settings, listeners, clock, LockObservers.NONE);
	}

	/**
	 * Create a registry whose acquisitions are observed.
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
		this.listeners = new CompositeLockListener(listeners);
		this.environment = environment;
		this.lifecycleLock = environment.newLock();
		this.observers = observers;
		this.holdSummary = new HoldSummary.Latest(environment.clock());
	}

	/**
	 * Start the registry. Does nothing if it is running. Does not fail if the store
	 * cannot be reached. Locks with a lease that are still held from before a shutdown
	 * are lost: nothing renews them or can release them any more.
	 */
	public void start() {
		List<WeakReference<HeldLocks>> earlier;
		this.lifecycleLock.lock();
		try {
			if (this.operations != null) {
				return;
			}
			earlier = this.earlierHeldLocks;
			this.operations = new LockOperations(
					new RegistryRuntime(this.backend, this.settings, this.listeners, this.environment), this.backend,
					this.settings, this.listeners, this.environment.clock(), this.observers);
		}
		finally {
			this.lifecycleLock.unlock();
		}
		// Not under the lock: listeners are notified.
		if (this.backend.description().expires()) {
			earlier.stream().map(Reference::get).filter(Objects::nonNull).forEach(HeldLocks::loseAll);
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
	 * Find out whether the store can be reached and used.
	 * @throws LockBackendException if not, or if the registry is not running
	 */
	public void verify() {
		runningOperations().runtime().store().verify();
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
			LockOperations current = this.operations;
			if (current != null) {
				this.stopping = true;
				try {
					current.runtime().close(this.settings.shutdownGrace().toNanos());
				}
				finally {
					// In this order: a thread that unlocks at this moment must find its
					// lock.
					rememberForLateRelease(current.runtime().heldLocks());
					this.operations = null;
					this.stopping = false;
				}
			}
		}
		finally {
			this.lifecycleLock.unlock();
		}
	}

	private void rememberForLateRelease(HeldLocks ended) {
		List<WeakReference<HeldLocks>> kept = new ArrayList<>(this.earlierHeldLocks);
		kept.removeIf((earlier) -> earlier.refersTo(null));
		kept.add(0, new WeakReference<>(ended));
		this.earlierHeldLocks = List.copyOf(kept);
	}

	/** Return where the calling thread may hold locks, the latest run first. */
	private List<HeldLocks> allHeldLocks() {
		LockOperations current = this.operations;
		List<WeakReference<HeldLocks>> earlier = this.earlierHeldLocks;
		if (current != null && earlier.isEmpty()) {
			return List.of(current.runtime().heldLocks());
		}
		List<HeldLocks> allHeldLocks = new ArrayList<>();
		if (current != null) {
			allHeldLocks.add(current.runtime().heldLocks());
		}
		for (WeakReference<HeldLocks> reference : earlier) {
			HeldLocks heldLocks = reference.get();
			if (heldLocks != null) {
				allHeldLocks.add(heldLocks);
			}
		}
		return allHeldLocks;
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
		RequestTerms terms = new RequestTerms(this.settings, this.backend.description().keeps());
		new RequestValidator(this.backend, this.settings, terms).validate(request);
	}

	@Override
	public Lock obtain(String key) {
		// A view cannot say that it was refused.
		LockRequest request = LockRequest.of(key).maxWaiting(Integer.MAX_VALUE);
		this.backend.validateKey(key);
		return new LockView(request, this::runningOperations, this::allHeldLocks);
	}

	@Override
	public HeldLock acquire(LockRequest request) {
		try {
			return runningOperations().acquireOrFail(request);
		}
		catch (InterruptedException ex) {
			throw interrupted(request, ex);
		}
	}

	@Override
	public Optional<HeldLock> tryAcquire(LockRequest request) {
		try {
			return Optional.ofNullable(runningOperations().acquire(request, true, LockOutcome.SKIPPED));
		}
		catch (InterruptedException ex) {
			throw interrupted(request, ex);
		}
	}

	private static LockNotAcquiredException interrupted(LockRequest request, InterruptedException ex) {
		Thread.currentThread().interrupt();
		return new LockNotAcquiredException(
				"The thread was interrupted while it waited for lock '" + request.key() + "' (" + request.label() + ")",
				ex);
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
		return runningOperations().acquireAsyncOrFail(request);
	}

	@Override
	public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
		return LockFutures.optional(runningOperations().acquireAsync(request, LockOutcome.SKIPPED));
	}

	@Override
	public <T> T execute(LockRequest request, Callable<T> action) throws Exception {
		try (HeldLock lock = acquire(request)) {
			return ObservedWork.call(this.observers, this.backend.description().name(), request, lock, action);
		}
	}

	/**
	 * Return how long locks have been held, and how many of them are at risk. Sends no
	 * command.
	 * @return the figures, at most a second old; empty if the registry is not running
	 */
	public HoldSummary holdSummary() {
		LockOperations current = this.operations;
		return this.holdSummary.get((current != null) ? current.runtime() : null);
	}

	/**
	 * Return which locks callers of this JVM hold and wait for now. Sends no command and
	 * changes nothing.
	 * @return the snapshot
	 * @throws LockBackendException if the registry is not running
	 */
	public RegistrySnapshot snapshot() {
		return runningOperations().runtime().snapshot();
	}

	/**
	 * Return what the store tells operators. Its methods send commands.
	 * @return the inspection of the store that is open now
	 * @throws UnsupportedStoreOperationException if the store offers none
	 * @throws LockBackendException if the registry is not running
	 */
	public StoreInspection inspection() {
		LockStore store = runningOperations().runtime().store();
		StoreInspection inspection = store.inspection();
		if (inspection == null) {
			throw new UnsupportedStoreOperationException("The store '" + store.description().name()
					+ "' does not say what holds a lock: ask the store itself, with its own tools");
		}
		return inspection;
	}

	/**
	 * Describe where the locks are, without credentials. Sends no command.
	 * @return such as {@code Redis at db1:6379, prefix 'shop:'}
	 * @throws LockBackendException if the registry is not running
	 */
	public String location() {
		return runningOperations().runtime().store().location();
	}

	/**
	 * Describe the channel on which this JVM receives its grants. Sends no command.
	 * @return {@code subscribed} or {@code polling}; {@code null} if the store has no
	 * such channel
	 * @throws LockBackendException if the registry is not running
	 */
	public @Nullable String channel() {
		return runningOperations().runtime().store().channel();
	}

	/**
	 * Send the cheapest command that shows that the store works.
	 * @throws LockBackendException if it does not answer, or if the registry is not
	 * running
	 */
	public void ping() {
		runningOperations().runtime().store().ping();
	}

	private LockOperations runningOperations() {
		LockOperations current = this.operations;
		if (current == null) {
			throw new LockBackendException("The lock registry is not running: locks can be acquired from the start of"
					+ " the application context until its shutdown");
		}
		return current;
	}

}
