package io.github.distlock.thread;

import java.lang.reflect.Proxy;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.ReflectionUtils;

/**
 * Writes log lines on a thread of its own. An appender may block, for example on a pipe
 * that nothing reads, and no renewal, report or answer of a store may wait for it.
 * <p>
 * A call does not block. One thread writes the lines of all loggers, in order, and ends
 * when there are none. If it is blocked, the next ten thousand lines wait and further
 * ones are dropped. Thread-safe.
 */
public final class LockLog {

	private static final int MOST_LINES = 10_000;

	private static final ThreadPoolExecutor WRITER = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(MOST_LINES),
			LockThreads.numbered("distlock-log-", LockLog.class.getClassLoader()),
			new ThreadPoolExecutor.DiscardPolicy());

	static {
		WRITER.allowCoreThreadTimeOut(true);
	}

	private LockLog() {
	}

	/**
	 * Return the logger of a class. Its calls do not block a thread of the library or of
	 * a driver, except for those that ask for a level. A thread of the application writes
	 * its lines itself.
	 * @param category the class
	 * @return its logger
	 */
	public static Log of(Class<?> category) {
		Log log = LogFactory.getLog(category);
		return (Log) Proxy.newProxyInstance(LockLog.class.getClassLoader(), new Class<?>[] { Log.class },
				(proxy, method, line) -> {
					if (line == null || !LockThreads.isShared()) {
						return ReflectionUtils.invokeMethod(method, log, (line != null) ? line : new Object[0]);
					}
					WRITER.execute(() -> ReflectionUtils.invokeMethod(method, log, line));
					return null;
				});
	}

	/**
	 * Wait until the lines so far have been written, but not longer than a second. Only
	 * for a thread of the application that starts or ends a registry.
	 */
	public static void flush() {
		// Its thread may hold a line, and not yet be active.
		if (WRITER.getPoolSize() > 0) {
			try {
				WRITER.submit(() -> {
				}).get(1, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			catch (ExecutionException | TimeoutException ex) {
				// The appender blocks.
			}
		}
	}

}
