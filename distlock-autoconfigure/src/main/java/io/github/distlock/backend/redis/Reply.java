package io.github.distlock.backend.redis;

/**
 * What a script answers: a word and numbers, separated by commas. A number alone is the
 * most frequent answer: granted, as asked for.
 *
 * @param word what happened
 * @param numbers more of it
 */
record Reply(String word, long... numbers) {

	static final String GRANTED = "granted";

	static final String WAITING = "waiting";

	static final String BUSY = "busy";

	static final String GONE = "gone";

	static final String UNQUEUED = "unqueued";

	static Reply parse(String text) {
		if (Character.isDigit(text.charAt(0))) {
			return new Reply(GRANTED, Long.parseLong(text));
		}
		String[] parts = text.split(",");
		long[] numbers = new long[parts.length - 1];
		for (int i = 0; i < numbers.length; i++) {
			numbers[i] = Long.parseLong(parts[i + 1]);
		}
		return new Reply(parts[0], numbers);
	}

}
