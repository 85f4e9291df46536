package io.github.distlock.backend.redis;

/**
 * What a script answers: a word and numbers, separated by commas. A number alone is the
 * most frequent answer: granted, as asked for. A plus sign before the word says that
 * readers are still to be let in.
 *
 * @param word what happened
 * @param admitsMore whether {@code admit.lua} has to be sent, so that more readers enter
 * @param numbers more of it
 */
record Reply(String word, boolean admitsMore, long... numbers) {

	private static final char ADMITS_MORE = '+';

	static final String GRANTED = "granted";

	static final String WAITING = "waiting";

	static final String BUSY = "busy";

	static final String GONE = "gone";

	static final String UNQUEUED = "unqueued";

	static Reply parse(String text) {
		if (Character.isDigit(text.charAt(0))) {
			return new Reply(GRANTED, false, Long.parseLong(text));
		}
		boolean admitsMore = text.charAt(0) == ADMITS_MORE;
		String[] parts = (admitsMore ? text.substring(1) : text).split(",");
		long[] numbers = new long[parts.length - 1];
		for (int i = 0; i < numbers.length; i++) {
			numbers[i] = Long.parseLong(parts[i + 1]);
		}
		return new Reply(parts[0], admitsMore, numbers);
	}

}
