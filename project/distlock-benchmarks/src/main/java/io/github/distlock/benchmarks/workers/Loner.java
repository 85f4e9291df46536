package io.github.distlock.benchmarks.workers;

import java.util.function.UnaryOperator;

import io.github.distlock.benchmarks.jvms.ChildJvm;

/**
 * A JVM that hosts one contender only, so that its heap and threads tell something.
 */
public final class Loner implements AutoCloseable {

	private final ChildJvm jvm;

	private final UnaryOperator<String> orders;

	Loner(ChildJvm jvm, UnaryOperator<String> orders) {
		this.jvm = jvm;
		this.orders = orders;
	}

	/**
	 * Return what the names of all keys of a contender hold that its JVM used.
	 * @param contender which
	 * @return a part of the names
	 */
	public static String keys(String contender) {
		return Standing.prefix(contender);
	}

	/**
	 * Acquire many locks and keep them.
	 * @param contender which
	 * @param count how many
	 * @return what that costs the client
	 */
	public Cost hold(String contender, int count) {
		String[] words = this.orders.apply("hold " + contender + " " + count).split(" ");
		return new Cost(Long.parseLong(words[0]), Integer.parseInt(words[1]));
	}

	/**
	 * Release all that are held.
	 * @return how many were still held
	 */
	public int drop() {
		return Integer.parseInt(this.orders.apply("drop now"));
	}

	/**
	 * Use many keys once.
	 * @param contender which
	 * @param count how many
	 * @return bytes of heap that stay per key
	 */
	public double forget(String contender, int count) {
		return Double.parseDouble(this.orders.apply("forget " + contender + " " + count));
	}

	/**
	 * Measure the first cycles of this JVM.
	 * @param contender which
	 * @return how long they took
	 */
	public Youth young(String contender) {
		return Youth.decode(this.orders.apply("young " + contender));
	}

	@Override
	public void close() {
		this.jvm.close();
	}

	/**
	 * What held locks cost the client.
	 *
	 * @param heapPerLock bytes
	 * @param threads threads that were added
	 */
	public record Cost(long heapPerLock, int threads) {

	}

}
