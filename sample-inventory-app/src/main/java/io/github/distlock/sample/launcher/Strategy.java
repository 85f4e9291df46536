package io.github.distlock.sample.launcher;

import java.util.EnumMap;
import java.util.Map;

/**
 * A way to protect the stock, and what is to be expected of it.
 *
 * @param name how the services know it
 * @param store the server that it needs besides the database and the Redis
 * @param usual what is expected as long as no fault below strikes
 * @param damage what is expected under the faults that change that
 */
public record Strategy(String name, Store store, Expectation usual, Map<Fault, Expectation> damage) {

	public Strategy {
		damage = Map.copyOf(damage);
	}

	static Strategy of(String name, Verdict verdict, String why) {
		return new Strategy(name, Store.NONE, new Expectation(verdict, why), Map.of());
	}

	/**
	 * Say which server it needs besides.
	 * @param needed the server
	 * @return this strategy with that server
	 */
	Strategy in(Store needed) {
		return new Strategy(this.name, needed, this.usual, this.damage);
	}

	/**
	 * Say what a fault does to it.
	 * @param fault the fault
	 * @param verdict what is expected then
	 * @param why one sentence
	 * @return this strategy with that expectation
	 */
	Strategy under(Fault fault, Verdict verdict, String why) {
		Map<Fault, Expectation> more = new EnumMap<>(Fault.class);
		more.putAll(this.damage);
		more.put(fault, new Expectation(verdict, why));
		return new Strategy(this.name, this.store, this.usual, more);
	}

	/**
	 * Return what is expected.
	 * @param fault the fault that strikes
	 */
	public Expectation expected(Fault fault) {
		return this.damage.getOrDefault(fault, this.usual);
	}

	/**
	 * What is expected.
	 *
	 * @param verdict what the figures must show
	 * @param why one sentence
	 */
	public record Expectation(Verdict verdict, String why) {

	}

}
