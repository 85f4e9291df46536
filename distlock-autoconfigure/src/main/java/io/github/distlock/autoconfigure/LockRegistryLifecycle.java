package io.github.distlock.autoconfigure;

import java.util.List;

import io.github.distlock.LockBackendException;
import io.github.distlock.autoconfigure.BackendRegistries.RegisteredBackend;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the registries at the right moment.
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

	private static final Log logger = LogFactory.getLog(LockRegistryLifecycle.class);

	private final BackendRegistries stores;

	private final boolean failFast;

	private volatile boolean running;

	LockRegistryLifecycle(BackendRegistries stores, boolean failFast) {
		this.stores = stores;
		this.failFast = failFast;
	}

	/**
	 * The first time the registries work already; they are started again after a pause of
	 * the context.
	 */
	@Override
	public void start() {
		this.stores.withBeanClassLoader(() -> {
			for (RegisteredBackend store : this.stores.working()) {
				store.registry().start();
				if (this.failFast) {
					verify(store);
				}
			}
			return true;
		});
		this.running = true;
	}

	/**
	 * Blocks for the grace period at most, whatever the timeout for a phase is: the
	 * connection must not go first. All registries at once, or the grace periods would
	 * add up.
	 */
	@Override
	public void stop() {
		List<Thread> stops = this.stores.withBeanClassLoader(() -> this.stores.working()
			.stream()
			.map((store) -> LockThreads.named("distlock-stop-" + store.name()).newThread(() -> shutdown(store)))
			.toList());
		stops.forEach(LockRegistryLifecycle::begin);
		boolean interrupted = false;
		for (Thread stop : stops) {
			interrupted = join(stop, interrupted);
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
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

	private static void begin(Thread stop) {
		try {
			stop.start();
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started now: shut this store down on the current one.
			stop.run();
		}
	}

	private static void shutdown(RegisteredBackend store) {
		try {
			store.registry().shutdown();
		}
		catch (RuntimeException ex) {
			logger.warn("The locks in store '" + store.name() + "' could not be shut down", ex);
		}
	}

	/** An interrupt ends the grace period. */
	private static boolean join(Thread stop, boolean interruptedBefore) {
		boolean interrupted = interruptedBefore;
		while (true) {
			if (interrupted) {
				stop.interrupt();
			}
			try {
				stop.join();
				return interrupted;
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
	}

	private void verify(RegisteredBackend store) {
		try {
			store.backend().verify();
		}
		catch (LockBackendException ex) {
			throw new LockStoreUnavailableException(this.stores.location(store), ex);
		}
	}

}
