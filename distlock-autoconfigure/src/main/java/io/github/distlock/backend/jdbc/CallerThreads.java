package io.github.distlock.backend.jdbc;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Decides whether the thread of a caller may send a command on a reserved connection,
 * which saves two thread switches. Otherwise a thread of the store sends it. The
 * connection must not depend on the thread that uses it:
 * <ul>
 * <li>The data source is a known pool and not a proxy. A proxy may choose the connection
 * by the thread (routing by tenant), let it join a transaction, or enlist it with
 * JTA.</li>
 * <li>The driver uses plain sockets, which ignore an interrupt of a platform thread. A
 * channel, for example that of an embedded database, is closed by it; so is a socket that
 * a virtual thread uses.</li>
 * <li>The thread has no transaction of Spring.</li>
 * </ul>
 */
final class CallerThreads {

	/**
	 * Known pools, by their exact class: a subclass may do more, as those with JTA do.
	 * Each hands out a physical connection, whichever thread asks for it.
	 */
	private static final List<String> POOLS = List.of("com.zaxxer.hikari.HikariDataSource",
			"org.apache.tomcat.jdbc.pool.DataSource", "org.apache.commons.dbcp2.BasicDataSource");

	/** Drivers that support a network time-out. H2 does not. */
	private static final List<String> DRIVERS = List.of("jdbc:postgresql:", "jdbc:mariadb:", "jdbc:mysql:");

	/** Parts of the options that replace the plain socket. */
	private static final List<String> OTHER_SOCKETS = List.of("socketfactory", "localsocket", "pipe");

	private static final @Nullable Method IS_VIRTUAL = ClassUtils.getMethodIfAvailable(Thread.class, "isVirtual");

	private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

	private final boolean plainPool;

	CallerThreads(PoolProperties pool) {
		this.plainPool = POOLS.contains(pool.directPool()) && isPlain(pool.url());
	}

	private static boolean isPlain(@Nullable String url) {
		String text = (url != null) ? url.toLowerCase(Locale.ROOT) : "";
		return DRIVERS.stream().anyMatch(text::startsWith) && OTHER_SOCKETS.stream().noneMatch(text::contains);
	}

	/** Return whether the current thread may send. */
	boolean maySend() {
		return this.plainPool && !isVirtual(Thread.currentThread())
				&& !TransactionSynchronizationManager.isSynchronizationActive()
				&& !TransactionSynchronizationManager.isActualTransactionActive();
	}

	/** Without the method, a thread of Java 21 or later may be virtual. */
	private static boolean isVirtual(Thread thread) {
		return (IS_VIRTUAL != null) ? Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_VIRTUAL, thread))
				: Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS;
	}

	/** Run a task without an interrupt from before, which is kept. */
	static void uninterrupted(Runnable task) {
		boolean interrupted = Thread.interrupted();
		try {
			task.run();
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
