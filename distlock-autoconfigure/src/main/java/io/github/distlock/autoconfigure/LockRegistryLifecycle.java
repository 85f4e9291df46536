package io.github.distlock.autoconfigure;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockRegistry;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.registry.BackendLockRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the registry at the right moment.
 * <p>
 * Stops are in descending order of phases. Whoever may hold a lock comes before us: web
 * servers finish their requests at {@code MAX_VALUE - 1024} and stop at
 * {@code MAX_VALUE - 2048} (WebServerApplicationContext), listener containers have
 * {@code MAX_VALUE}, task executors and schedulers {@code MAX_VALUE / 2}
 * (ExecutorConfigurationSupport, SimpleAsyncTaskScheduler). What we need comes after us:
 * the Redis connection factories, Lettuce and Jedis, have phase 0. So ours lies halfway
 * between executors and 0. Executors that wait for their tasks
 * (waitForTasksToCompleteOnShutdown) stop later than all phases, when beans are
 * destroyed: their tasks have the grace period and no more.
 */
final class LockRegistryLifecycle implements SmartLifecycle {

	static final int PHASE = Integer.MAX_VALUE / 4;

	private final LockRegistry registry;

	private final boolean failFast;

	private final ObjectProvider<LockBackend> backends;

	private final ObjectProvider<LockStoreLocation> locations;

	private volatile boolean running;

	LockRegistryLifecycle(LockRegistry registry, boolean failFast, ObjectProvider<LockBackend> backends,
			ObjectProvider<LockStoreLocation> locations) {
		this.registry = registry;
		this.failFast = failFast;
		this.backends = backends;
		this.locations = locations;
	}

	/**
	 * The first time the registry works already; it is started again after a pause of the
	 * context.
	 */
	@Override
	public void start() {
		if (this.registry instanceof BackendLockRegistry backendRegistry) {
			backendRegistry.start();
			if (this.failFast) {
				verify(this.backends.getObject());
			}
		}
		this.running = true;
	}

	/**
	 * Blocks for the grace period at most, whatever the timeout for a phase is: the
	 * connection must not go first.
	 */
	@Override
	public void stop() {
		if (this.registry instanceof BackendLockRegistry backendRegistry) {
			backendRegistry.shutdown();
		}
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	private void verify(LockBackend backend) {
		try {
			backend.verify();
		}
		catch (LockBackendException ex) {
			LockStoreLocation location = this.locations.getIfAvailable();
			throw new LockStoreUnavailableException(
					(location != null) ? location.describe() : backend.description().name(), ex);
		}
	}

}
