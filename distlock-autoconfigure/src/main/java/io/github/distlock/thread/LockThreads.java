package io.github.distlock.thread;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
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

	/**
	 * How long a loop rests after a step that throws. Without memory each step costs a
	 * garbage collection.
	 */
	private static final long PAUSE_NANOS = 50_000_000;

	/** The thread of an event loop of Netty, and how Netty tells which one it runs. */
	private static final @Nullable Class<?> NETTY_THREAD = find("io.netty.util.concurrent.FastThreadLocalThread");

	private static final @Nullable Class<?> NETTY_LOOP = find("io.netty.channel.EventLoop");

	private static final @Nullable Method NETTY_CURRENT = method(find("io.netty.util.internal.ThreadExecutorMap"),
			"currentExecutor");

	/** Marks the computation threads of RxJava. */
	private static final @Nullable Class<?> RX_THREAD = find(
			"io.reactivex.rxjava3.internal.schedulers.NonBlockingThread");

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
	 * @return such as {@code worker-1}, {@code #42} or {@code Thread-4 (ended)}
	 */
	public static String describe(Thread thread) {
		String name = thread.getName();
		return (name.isEmpty() ? "#" + thread.getId() : name) + (thread.isAlive() ? "" : " (ended)");
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
	 * Return whether the calling thread runs the tasks of many callers in turn, and none
	 * of them may wait on it: an event loop of Netty, which drivers and Vert.x use, or a
	 * computation thread of RxJava. Other executors of Netty may block.
	 * @return whether such a thread calls, as far as this class can tell
	 */
	public static boolean isEventLoop() {
		return Thread.currentThread().getClass() != Thread.class && isMarked();
	}

	private static boolean isMarked() {
		Thread thread = Thread.currentThread();
		if (RX_THREAD != null && RX_THREAD.isInstance(thread)) {
			return true;
		}
		return NETTY_THREAD != null && NETTY_THREAD.isInstance(thread) && NETTY_LOOP != null && NETTY_CURRENT != null
				&& NETTY_LOOP.isInstance(ReflectionUtils.invokeMethod(NETTY_CURRENT, null));
	}

	private static @Nullable Class<?> find(String name) {
		ClassLoader loader = LockThreads.class.getClassLoader();
		return ClassUtils.isPresent(name, loader) ? ClassUtils.resolveClassName(name, loader) : null;
	}

	private static @Nullable Method method(@Nullable Class<?> type, String name) {
		return (type != null) ? ClassUtils.getMethodIfAvailable(type, name) : null;
	}

	/**
	 * Create a factory for virtual threads, with the names and the class loader of this
	 * factory.
	 * @return the factory
	 * @throws IllegalStateException if this JVM has no virtual threads
	 */
	public LockThreads virtual() {
		// By reflection, since Java 17 does not have them.
		Method ofVirtual = method(Thread.class, "ofVirtual");
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

	/**
	 * Repeat a step on the calling thread, whatever the step throws. What repeats it
	 * needs no memory.
	 * @param running whether it is to be repeated; nothing else ends this call
	 * @param step the step, which reports its failures itself
	 */
	public static void repeatWhile(BooleanSupplier running, Runnable step) {
		while (running.getAsBoolean()) {
			try {
				step.run();
			}
			catch (Throwable ex) {
				// A report could need memory, and there may be none for a while.
				LockSupport.parkNanos(PAUSE_NANOS);
			}
		}
	}

	/**
	 * Return whether other locks depend on the calling thread: it belongs to the library
	 * or to the driver of a store.
	 */
	static boolean isShared() {
		Thread thread = Thread.currentThread();
		String name = thread.getName();
		return thread instanceof LibraryThread || name.endsWith("-EventThread") || name.startsWith("Curator-")
				|| isEventLoop();
	}

	private static Thread platformThread(Runnable task) {
		return new LibraryThread(task);
	}

	private static final class LibraryThread extends Thread {

		LibraryThread(Runnable task) {
			super(null, task, "distlock", 0, false);
		}

	}

}
