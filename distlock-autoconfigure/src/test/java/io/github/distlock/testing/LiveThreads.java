package io.github.distlock.testing;

/**
 * The threads that run in this JVM.
 */
public final class LiveThreads {

	private LiveThreads() {
	}

	/**
	 * Count threads.
	 * @param prefix how their names begin
	 * @return how many run now
	 */
	public static long countNamed(String prefix) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith(prefix))
			.count();
	}

	/**
	 * Return whether a thread runs.
	 * @param prefix how its name begins
	 * @return whether there is one
	 */
	public static boolean anyNamed(String prefix) {
		return countNamed(prefix) > 0;
	}

}
