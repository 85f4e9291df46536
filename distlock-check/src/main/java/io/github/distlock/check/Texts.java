package io.github.distlock.check;

import java.util.Locale;
import java.util.ResourceBundle;
import java.util.stream.Stream;

import io.github.distlock.check.Finding.Verdict;

/**
 * What {@code checks.properties} says about one kind of server. A key is the name of a
 * row and a word, after the kind of server where kinds differ.
 *
 * @param platform {@code redis}, or the kind of database as its URL names it
 */
record Texts(String platform) {

	static final ResourceBundle ALL = ResourceBundle.getBundle("io.github.distlock.check.checks", Locale.ROOT);

	boolean isJdbc() {
		return !this.platform.equals("redis");
	}

	/** Return the text of a row, empty if there is none for this kind of server. */
	String of(String row, String word) {
		String key = row.replace(' ', '-') + "." + word;
		return Stream.of(this.platform + "." + key, (isJdbc() ? "jdbc." : "redis.") + key, key)
			.filter(ALL::containsKey)
			.map(ALL::getString)
			.findFirst()
			.orElse("");
	}

	/** Judge an answer by the first pattern of the row that matches it. */
	Finding judge(String row, String answer) {
		return Stream.of(Verdict.OK, Verdict.WARNING, Verdict.FAILED)
			.filter((verdict) -> !answer.isEmpty() && answer.matches("(?s)" + of(row, verdict.toString())))
			.findFirst()
			.map((verdict) -> new Finding(verdict, answer))
			.orElseGet(() -> new Finding(Verdict.NOT_KNOWN, answer.isEmpty() ? "the server does not say" : answer));
	}

}
