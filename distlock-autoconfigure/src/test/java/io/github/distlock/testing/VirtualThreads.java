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
	 * Whether this JVM has final virtual threads, which do not pin their carrier in
	 * monitors.
	 */
	public static boolean areAvailable() {
		return Runtime.version().feature() >= 24;
	}

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
