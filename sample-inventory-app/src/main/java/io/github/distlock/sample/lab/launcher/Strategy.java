package io.github.distlock.sample.lab.launcher;

import java.util.EnumMap;
import java.util.Map;

/**
 * A way to protect the stock, and the verdicts that are expected of it.
 *
 * @param name its name for users and for the services
 * @param store the server that it needs besides the database and the Redis
 * @param usual what is expected without a fault
 * @param underFaults what is expected under each fault; {@code usual} if it is not named
 */
public record Strategy(String name, Store store, Expectation usual, Map<Fault, Expectation> underFaults) {

	public Strategy {
		underFaults = Map.copyOf(underFaults);
	}

	static Strategy of(String name, Verdict verdict, String why) {
		return new Strategy(name, Store.NONE, new Expectation(verdict, why), Map.of());
	}

	/**
	 * Name the server that it needs besides.
	 * @param needed the server
	 * @return this strategy with that server
	 */
	Strategy in(Store needed) {
		return new Strategy(this.name, needed, this.usual, this.underFaults);
	}

	/**
	 * Add what is expected under a fault.
	 * @param fault the fault
	 * @param verdict the expected verdict
	 * @param why the reason, one sentence
	 * @return this strategy with that expectation
	 */
	Strategy under(Fault fault, Verdict verdict, String why) {
		Map<Fault, Expectation> more = new EnumMap<>(Fault.class);
		more.putAll(this.underFaults);
		more.put(fault, new Expectation(verdict, why));
		return new Strategy(this.name, this.store, this.usual, more);
	}

	/**
	 * Return what is expected.
	 * @param fault the fault that strikes
	 */
	public Expectation expected(Fault fault) {
		return this.underFaults.getOrDefault(fault, this.usual);
	}

	/**
	 * What is expected.
	 *
	 * @param verdict the verdict that the figures must show
	 * @param why the reason, one sentence
	 */
	public record Expectation(Verdict verdict, String why) {

	}

}
