package io.github.distlock.testing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Virtual threads, by reflection: the sources are for Java 17, which does not have them.
 */
public final class VirtualThreads {

	private VirtualThreads() {
	}

	/**
	 * Return whether this JVM has final virtual threads, which do not pin their carrier
	 * in monitors.
	 * @return whether it is Java 24 or later
	 */
	public static boolean areAvailable() {
		return Runtime.version().feature() >= 24;
	}

	/**
	 * Start a virtual thread.
	 * @param name its name
	 * @param task its task
	 * @return the thread
	 */
	public static Thread start(String name, Runnable task) {
		try {
			Class<?> type = Class.forName("java.lang.Thread$Builder");
			Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
			Method named = type.getMethod("name", String.class);
			return (Thread) type.getMethod("start", Runnable.class).invoke(named.invoke(builder, name), task);
		}
		catch (InvocationTargetException ex) {
			throw new IllegalStateException(ex.getCause());
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("This JVM has no virtual threads", ex);
		}
	}

}
