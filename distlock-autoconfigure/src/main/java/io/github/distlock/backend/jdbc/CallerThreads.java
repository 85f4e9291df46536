package io.github.distlock.backend.jdbc;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Decides whether the thread of a caller may send a command, which saves two thread
 * switches. Otherwise a thread of the store sends it. An interrupt of the thread must not
 * end the connection: plain sockets ignore that of a platform thread. A channel, for
 * example that of an embedded database, is closed by it; so is a socket that a virtual
 * thread uses.
 */
final class CallerThreads {

	private static final @Nullable Method IS_VIRTUAL = ClassUtils.getMethodIfAvailable(Thread.class, "isVirtual");

	private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

	private final boolean plainSockets;

	CallerThreads(boolean plainSockets) {
		this.plainSockets = plainSockets;
	}

	/** Return whether the current thread may send. */
	boolean maySend() {
		return this.plainSockets && !isVirtual(Thread.currentThread());
	}

	/** Without the method, a thread of Java 21 or later may be virtual. */
	private static boolean isVirtual(Thread thread) {
		return (IS_VIRTUAL != null) ? Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_VIRTUAL, thread))
				: Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS;
	}

}
