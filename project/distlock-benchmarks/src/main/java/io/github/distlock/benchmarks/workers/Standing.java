package io.github.distlock.benchmarks.workers;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.benchmarks.catalogue.Contenders;
import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.Locks;

/**
 * Many locks that are held for long, or that were used once. For a JVM that hosts one
 * contender, since it looks at the whole heap.
 */
final class Standing {

	private static final int WARM_UP = 10_000;

	private final Cast cast;

	private final List<Held> held = new ArrayList<>();

	Standing(Cast cast) {
		this.cast = cast;
	}

	/**
	 * Acquire many and keep them.
	 * @param words the contender and how many
	 * @return bytes of heap per lock, and threads that were added
	 */
	String hold(String[] words) throws InterruptedException {
		Locks locks = warm(words[0]);
		int count = Integer.parseInt(words[1]);
		int threads = ManagementFactory.getThreadMXBean().getThreadCount();
		List<String> keys = keys(words[0], "held", count);
		long before = heap();
		for (String key : keys) {
			this.held.add(locks.lock(key));
		}
		return "%d %d".formatted((heap() - before) / count,
				ManagementFactory.getThreadMXBean().getThreadCount() - threads);
	}

	/**
	 * Release what is held.
	 * @return how many were released without a complaint
	 */
	String drop() {
		int released = 0;
		for (Held lock : this.held) {
			try {
				lock.release();
				released++;
			}
			catch (RuntimeException ex) {
				// Lost: the count says so.
			}
		}
		this.held.clear();
		return Integer.toString(released);
	}

	/**
	 * Use many keys once.
	 * @param words the contender and how many
	 * @return bytes of heap that stay per key
	 */
	String forget(String[] words) throws InterruptedException {
		Locks locks = warm(words[0]);
		int count = Integer.parseInt(words[1]);
		List<String> keys = keys(words[0], "once", count);
		long before = heap();
		for (String key : keys) {
			locks.lock(key).release();
		}
		return String.valueOf((double) (heap() - before) / count);
	}

	private Locks warm(String contender) throws InterruptedException {
		Locks locks = this.cast.locks(contender, 1).get(0);
		// Other keys, but as many as the measured ones, so that tables have grown.
		for (String key : keys(contender, "warm", WARM_UP)) {
			locks.lock(key).release();
		}
		return locks;
	}

	private static List<String> keys(String contender, String kind, int count) {
		String prefix = prefix(contender) + kind + "-";
		List<String> keys = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			keys.add(prefix + i);
		}
		return keys;
	}

	static String prefix(String contender) {
		return "alone-" + Contenders.number(Contenders.named(contender)) + "-";
	}

	/**
	 * Twice: what is only reachable through references that the first one cleared goes in
	 * the second.
	 */
	private static long heap() {
		System.gc();
		System.gc();
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
