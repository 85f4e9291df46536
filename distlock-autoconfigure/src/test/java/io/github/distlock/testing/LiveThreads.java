package io.github.distlock.testing;

import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * The threads that run in this JVM.
 */
public final class LiveThreads {

	private LiveThreads() {
	}

	/**
	 * Find threads.
	 * @param prefix how their names begin
	 * @return those that run now
	 */
	public static Set<Thread> named(String prefix) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith(prefix))
			.collect(Collectors.toSet());
	}

	/**
	 * Observe threads that begin later.
	 * @param prefix how their names begin
	 * @return whether one of them runs
	 */
	public static BooleanSupplier anyNew(String prefix) {
		Set<Thread> before = named(prefix);
		return () -> !before.containsAll(named(prefix));
	}

	/**
	 * Count threads.
	 * @param prefix how their names begin
	 * @return how many run now
	 */
	public static long countNamed(String prefix) {
		return named(prefix).size();
	}

}
