package io.github.distlock.testing;

import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** The threads that run in this JVM. */
public final class LiveThreads {

	private LiveThreads() {
	}

	/** The threads that run now, by the beginning of their names. */
	private static Set<Thread> named(String prefix) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith(prefix))
			.collect(Collectors.toSet());
	}

	/** Observe threads that begin later. Those of other tests may still run. */
	public static BooleanSupplier anyNew(String prefix) {
		LongSupplier count = countNew(prefix);
		return () -> count.getAsLong() > 0;
	}

	/** Count threads that begin later. Those of other tests may still run. */
	public static LongSupplier countNew(String prefix) {
		Set<Thread> before = named(prefix);
		return () -> named(prefix).stream().filter((thread) -> !before.contains(thread)).count();
	}

}
