package io.github.distlock.torture.check;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Checks a history against all rules. As a program, it checks the history in a folder.
 */
public final class Checker {

	/** The number of hand-offs of a lock inside a worker. */
	public static final int HAND_OFF_BUDGET = 16;

	private static final List<BiConsumer<History, Consumer<Violation>>> RULES = List.of(SafetyRules::exclusion,
			SafetyRules::risingTokens, SafetyRules::fencedResource, SafetyRules::foreignChanges,
			StoreRules::ghostHolders, SafetyRules::endedAttempts, SafetyRules::unheldUnlocks, SafetyRules::lateReleases,
			StoreRules::leftOvers, LivenessRules::overtaking, LivenessRules::progress,
			LivenessRules::lossesWithoutFaults, LivenessRules::readersTogether, LivenessRules::writerStarvation);

	private Checker() {
	}

	/** Check a history, which may be incomplete at its end. */
	public static List<Violation> check(History history) {
		List<Violation> found = new ArrayList<>();
		RULES.forEach((rule) -> rule.accept(history, found::add));
		return found;
	}

	public static void main(String[] args) {
		PrintStream out = System.out;
		History history = History.read(Path.of(args[0]), Long.MAX_VALUE);
		List<Violation> violations = check(history);
		violations.forEach((violation) -> out.println(violation.describe(history.begin())));
		out.println(history.attempts().size() + " attempts, " + violations.size() + " violations");
	}

}
