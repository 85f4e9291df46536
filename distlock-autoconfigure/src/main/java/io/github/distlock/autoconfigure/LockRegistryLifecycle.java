package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;
import io.github.distlock.autoconfigure.BackendRegistries.RegisteredBackend;
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

	private final BackendRegistries registries;

	/** Time for commands on their way and for the connections, without a grace period. */
	private static final Duration MINIMUM = Duration.ofSeconds(3);

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
		this.registries.withBeanClassLoader(() -> {
			for (RegisteredBackend registered : this.registries.created()) {
				registered.registry().start();
				// All beans exist now, unless they are lazy.
				registered.registry().findListeners();
				if (this.failFast) {
					verify(registered);
				}
			}
			return true;
		});
		this.running = true;
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
		List<Thread> stops = this.registries.withBeanClassLoader(() -> this.registries.created()
			.stream()
			.map((registered) -> LockThreads.named("distlock-stop-" + registered.name())
				.newThread(() -> shutdown(registered)))
			.toList());
		stops.forEach(Thread::start);
		long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(this.limit);
		boolean interrupted = false;
		for (Thread stop : stops) {
			interrupted = join(stop, end, interrupted);
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

	private static void shutdown(RegisteredBackend registered) {
		try {
			registered.registry().shutdown();
		}
		catch (RuntimeException ex) {
			logger.warn("The registry of lock backend '" + registered.name() + "' could not be shut down", ex);
		}
	}

	/** An interrupt ends the grace period. */
	private boolean join(Thread stop, long end, boolean interruptedBefore) {
		boolean interrupted = interruptedBefore;
		while (stop.isAlive()) {
			long left = end - System.nanoTime();
			if (left <= 0) {
				leaveBehind(stop);
				break;
			}
			if (interrupted) {
				stop.interrupt();
			}
			try {
				TimeUnit.NANOSECONDS.timedJoin(stop, left);
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		return interrupted;
	}

	private void leaveBehind(Thread stop) {
		IllegalStateException place = new IllegalStateException("Thread " + stop.getName() + " waits here");
		place.setStackTrace(stop.getStackTrace());
		logger
			.warn("The shutdown does not wait any longer for thread " + stop.getName() + ", which has not ended within "
					+ this.limit + " (distlock.shutdown-grace-period): locks that are still held end with their leases,"
					+ " and connections of its store may stay open until this JVM ends", place);
	}

	private void verify(RegisteredBackend registered) {
		try {
			registered.registry().verify();
		}
		catch (LockBackendException ex) {
			throw new LockStoreUnavailableException(this.registries.location(registered),
					Backend.connection(registered.name()), ex);
		}
	}

}
