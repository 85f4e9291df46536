package io.github.distlock.lab.check;

/**
 * Two holds of a key that should not be as they are.
 *
 * @param kind what was found
 * @param first the hold that began first, as far as that is known
 * @param second the other one
 * @param possibly for how many nanoseconds they overlap at most
 */
record Finding(Kind kind, Hold first, Hold second, long possibly) {

	/**
	 * Kinds of findings, the worst first.
	 */
	enum Kind {

		/** They overlapped. */
		OVERLAP,
		/** The token of the later hold is not higher. */
		TOKEN,
		/** When one of them ended is not known. */
		OPEN,
		/** The clocks are not known well enough. */
		UNCERTAIN

	}

}
