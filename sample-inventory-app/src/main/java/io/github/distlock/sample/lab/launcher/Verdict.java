package io.github.distlock.sample.lab.launcher;

/**
 * The result of a strategy.
 */
public enum Verdict {

	/** Every unit was sold once, to the buyers that came in time. */
	HOLDS("holds", Colour.GREEN),

	/** Units were sold that did not exist, or twice. */
	OVERSELLS("OVERSELLS", Colour.RED),

	/** The lock stayed taken, and no buyer was served any more. */
	BLOCKS("BLOCKS", Colour.YELLOW),

	/** None of these: orders failed, or units were left over. */
	FAILS("FAILS", Colour.RED);

	private final String text;

	private final Colour colour;

	Verdict(String text, Colour colour) {
		this.text = text;
		this.colour = colour;
	}

	/**
	 * Return the text for users.
	 * @param coloured whether it has a colour
	 */
	String text(boolean coloured) {
		return coloured ? this.colour.paint(this.text) : this.text;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
