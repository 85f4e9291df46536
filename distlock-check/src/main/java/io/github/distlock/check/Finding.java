package io.github.distlock.check;

import java.util.Locale;

/**
 * What one check has found.
 *
 * @param verdict whether that is good enough
 * @param text what was found
 */
record Finding(Verdict verdict, String text) {

	/**
	 * How good a server is at one point.
	 */
	enum Verdict {

		/** Nothing has to be done. */
		OK,

		/** Locks work, at a cost or with a risk that the row names. */
		WARNING,

		/** Do not keep locks there. */
		FAILED,

		/**
		 * The server did not say, or the check did not come so far. That is never good
		 * enough.
		 */
		NOT_KNOWN;

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT).replace('_', ' ');
		}

	}

}
