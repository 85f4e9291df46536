package io.github.distlock.lab.runs;

import java.util.List;

/**
 * Some strategies, of a program that does not exist.
 */
public final class TestStrategies {

	/** Three that are usual, and one more. */
	public static final Catalogue CATALOGUE = Catalogue.of(
			List.of(Strategy.of("none", Verdict.OVERSELLS, "Nothing excludes the other buyer."),
					Strategy.of("synchronized", Verdict.OVERSELLS, "The keyword excludes no other JVM."),
					Strategy.of("setnx", Verdict.HOLDS, "Redis creates the key once.")
						.under(Fault.CRASH, Verdict.BLOCKS, "The key remains."),
					Strategy.of("distributed-lock", Verdict.HOLDS, "One caller at a time enters.")),
			"none", "synchronized", "distributed-lock");

	private TestStrategies() {
	}

}
