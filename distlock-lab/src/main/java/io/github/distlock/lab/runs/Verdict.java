package io.github.distlock.lab.runs;

/**
 * The result of a strategy.
 */
public enum Verdict {

	/** Every unit was sold once, to the buyers that came in time. */
	HOLDS("holds"),

	/** Units were sold that did not exist, or twice. */
	OVERSELLS("OVERSELLS"),

	/** The lock stayed taken, and no buyer was served any more. */
	BLOCKS("BLOCKS"),

	/** None of these: orders failed, or units were left over. */
	FAILS("FAILS");

	private final String text;

	Verdict(String text) {
		this.text = text;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
