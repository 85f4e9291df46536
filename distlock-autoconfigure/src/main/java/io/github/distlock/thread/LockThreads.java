package io.github.distlock.thread;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Creates the threads of the library: daemon threads of normal priority that inherit
 * nothing from the creating thread. A pool thread serves many callers after the one that
 * caused its start, so an inherited tenant or user would be wrong.
 * <p>
 * Inheritable thread-locals are not copied. The context class loader is the one that the
 * factory was created with. Thread-safe.
 */
public final class LockThreads implements ThreadFactory {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			LockThreads.class.getClassLoader());

	private final Supplier<String> names;

	private final ThreadFactory threads;

	private final @Nullable ClassLoader contextClassLoader;

	private LockThreads(Supplier<String> names, ThreadFactory threads, @Nullable ClassLoader contextClassLoader) {
		this.names = names;
		this.threads = threads;
		this.contextClassLoader = contextClassLoader;
	}

	/**
	 * Create a factory for several threads, with the current context class loader of the
	 * calling thread.
	 * @param prefix prefix of the names; a number from 1 follows
	 * @return the factory
	 */
	public static LockThreads numbered(String prefix) {
		return numbered(prefix, Thread.currentThread().getContextClassLoader());
	}

	/**
	 * Create a factory for several threads.
	 * @param prefix prefix of the names; a number from 1 follows
	 * @param contextClassLoader context class loader of the threads
	 * @return the factory
	 */
	public static LockThreads numbered(String prefix, @Nullable ClassLoader contextClassLoader) {
		AtomicLong number = new AtomicLong();
		return new LockThreads(() -> prefix + number.incrementAndGet(), LockThreads::platformThread,
				contextClassLoader);
	}

	/**
	 * Create a factory for one thread at a time, with the current context class loader of
	 * the calling thread.
	 * @param name name of the thread
	 * @return the factory
	 */
	public static LockThreads named(String name) {
		return new LockThreads(() -> name, LockThreads::platformThread, Thread.currentThread().getContextClassLoader());
	}

	/**
	 * Return the name of a thread, or its id: virtual threads have no name by default.
	 * @param thread the thread
	 * @return such as {@code worker-1} or {@code #42}
	 */
	public static String describe(Thread thread) {
		String name = thread.getName();
		return name.isEmpty() ? "#" + thread.getId() : name;
	}

	/**
	 * Return whether the calling thread must not block: an event loop or another thread
	 * that Reactor marks, if Reactor is on the class path.
	 * @return whether it must not block
	 */
	public static boolean isNonBlocking() {
		return REACTOR && Schedulers.isInNonBlockingThread();
	}

	/**
	 * Create a factory for virtual threads, with the names and the class loader of this
	 * factory.
	 * @return the factory
	 * @throws IllegalStateException if this JVM has no virtual threads
	 */
	public LockThreads virtual() {
		// By reflection, since Java 17 does not have them.
		Method ofVirtual = ClassUtils.getMethodIfAvailable(Thread.class, "ofVirtual");
		if (ofVirtual == null) {
			throw new IllegalStateException("Java " + Runtime.version().feature()
					+ " has no virtual threads: use Java 21 or later, or platform threads");
		}
		Class<?> type = ClassUtils.resolveClassName("java.lang.Thread$Builder", null);
		Method inherit = ClassUtils.getMethod(type, "inheritInheritableThreadLocals", boolean.class);
		Object builder = ReflectionUtils.invokeMethod(inherit, ReflectionUtils.invokeMethod(ofVirtual, null), false);
		Object factory = ReflectionUtils.invokeMethod(ClassUtils.getMethod(type, "factory"), builder);
		return new LockThreads(this.names, (ThreadFactory) Objects.requireNonNull(factory), this.contextClassLoader);
	}

	/**
	 * Create a thread without starting it.
	 */
	@Override
	public Thread newThread(Runnable task) {
		Thread thread = this.threads.newThread(task);
		thread.setName(this.names.get());
		thread.setDaemon(true);
		thread.setPriority(Thread.NORM_PRIORITY);
		thread.setContextClassLoader(this.contextClassLoader);
		return thread;
	}

	private static Thread platformThread(Runnable task) {
		return new Thread(null, task, "distlock", 0, false);
	}

}
