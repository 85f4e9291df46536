package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the registries in the right order with other beans.
 * <p>
 * Beans stop in descending order of their phases. Beans that may hold a lock stop before
 * the registries: web servers finish their requests at {@code MAX_VALUE - 1024} and stop
 * at {@code MAX_VALUE - 2048} (WebServerApplicationContext), listener containers have
 * {@code MAX_VALUE}, task executors and schedulers {@code MAX_VALUE / 2}
 * (ExecutorConfigurationSupport, SimpleAsyncTaskScheduler). Beans that the registries
 * need stop after them: the Redis connection factories of Lettuce and Jedis have phase 0.
 * The phase of the registries is therefore halfway between executors and 0.
 * <p>
 * Executors that wait for their tasks (waitForTasksToCompleteOnShutdown) stop later than
 * all phases, when beans are destroyed. Their tasks get the grace period and no more.
 */
final class LockRegistryLifecycle implements SmartLifecycle {

	static final int PHASE = Integer.MAX_VALUE / 4;

	private static final Log logger = LogFactory.getLog(LockRegistryLifecycle.class);

	/** Time for commands on their way and for the connections, without a grace period. */
	private static final Duration MINIMUM = Duration.ofSeconds(3);

	private final BackendRegistries registries;

	private final boolean failFast;

	private final Duration limit;

	private volatile boolean running;

	LockRegistryLifecycle(BackendRegistries registries, boolean failFast, Duration gracePeriod) {
		this.registries = registries;
		this.failFast = failFast;
		this.limit = (gracePeriod.compareTo(MINIMUM) > 0) ? gracePeriod : MINIMUM;
	}

	/**
	 * Start the registries. At the first start they are already running; they are started
	 * again after the context was paused.
	 */
	@Override
	public void start() {
		for (BackendLockRegistry registry : this.registries.byName().values()) {
			registry.start();
			// All beans exist now, unless they are lazy.
			registry.findListeners();
			if (this.failFast) {
				verify(registry);
			}
		}
		this.running = true;
		if (!this.failFast) {
			this.registries.byName()
				.values()
				.forEach((registry) -> LockThreads.named("distlock-check").newThread(() -> check(registry)).start());
		}
	}

	private static void verify(BackendLockRegistry registry) {
		try {
			registry.store().verify();
		}
		catch (LockBackendException ex) {
			throw new StartUpException(
					ex.getMessage() + ". distlock.fail-fast is true, and the lock store cannot be used: "
							+ registry.store().location() + ".",
					"Correct what the first sentence names. Or set distlock.fail-fast=false, so that only calls that need a "
							+ "lock fail.",
					null, ex);
		}
	}

	/**
	 * Log what the store refuses, although it can be reached: some rights are first
	 * needed when callers wait. What cannot be reached has logged that itself.
	 */
	private void check(BackendLockRegistry registry) {
		try {
			registry.store().verify();
		}
		catch (LockBackendException refusal) {
			try {
				registry.store().ping();
			}
			catch (LockBackendException ex) {
				logger.debug("The lock store cannot be reached", ex);
				return;
			}
			if (this.running) {
				logger.warn(refusal.getMessage() + ". Calls that need what is refused will fail. With"
						+ " distlock.fail-fast=true the application does not start");
			}
		}
	}

	/**
	 * Stop the registries. Blocks for the grace period at most, or for 3 s if it is
	 * shorter, whatever the timeout of the phase is, since the connection must not be
	 * closed first. A registry that has not stopped then, such as one whose driver never
	 * answers, is left to its thread. All registries stop at the same time, so that their
	 * grace periods do not add up.
	 */
	@Override
	public void stop() {
		CompletableFuture<?>[] stops = this.registries.byName()
			.entrySet()
			.stream()
			.map((named) -> CompletableFuture.runAsync(named.getValue()::shutdown,
					(stop) -> LockThreads.named("distlock-stop-" + named.getKey()).newThread(stop).start()))
			.toArray(CompletableFuture<?>[]::new);
		try {
			CompletableFuture.allOf(stops).orTimeout(this.limit.toMillis(), TimeUnit.MILLISECONDS).join();
		}
		catch (CompletionException ex) {
			logger.warn("The locks were not shut down within " + this.limit
					+ " (distlock.shutdown-grace-period): those that are still held end with their leases. A thread "
					+ "'distlock-stop-...' shows what it waits for", ex);
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

}
