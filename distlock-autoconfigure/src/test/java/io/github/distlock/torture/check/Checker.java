package io.github.distlock.torture.check;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.distlock.torture.history.History;

/**
 * Checks a history against all rules. As a program, it checks the history in a folder.
 */
public final class Checker {

	/** The number of hand-offs of a lock inside a worker. */
	public static final int HAND_OFF_BUDGET = 16;

	private static final List<Rule> RULES = List.of(new ExclusionRule(), new RisingTokensRule(),
			new FencedResourceRule(), SmallRules::foreignChanges, new GhostHolderRule(Duration.ofSeconds(7)),
			SmallRules::endedAttempts, SmallRules::unheldUnlocks, SmallRules::leftOvers,
			new OvertakingRule(HAND_OFF_BUDGET), new ProgressRule(Duration.ofSeconds(7)),
			SmallRules::lossesWithoutFaults, SmallRules::readersTogether, new WriterStarvationRule());

	private Checker() {
	}

	/** Check a history, which may be incomplete at its end. */
	public static List<Violation> check(History history) {
		return RULES.stream().flatMap((rule) -> rule.check(history).stream()).toList();
	}

	/** Check the history in a folder. */
	public static void main(String[] args) {
		PrintStream out = System.out;
		History history = History.read(Path.of(args[0]));
		List<Violation> violations = check(history);
		violations.forEach((violation) -> out.println(violation.describe(history.begin())));
		out.println(history.attempts().size() + " attempts, " + violations.size() + " violations");
	}

}
