package io.github.distlock.lab.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import io.github.distlock.lab.check.Finding.Kind;

/**
 * What a check has found, in words.
 */
final class Report {

	private static final int MOST_SHOWN = 50;

	private final List<Hold> holds;

	private final HoldChecker checker;

	private final List<String> unknown;

	private final List<String> times;

	/**
	 * Write a report.
	 * @param recordings what was recorded
	 * @param checker what was found in it
	 */
	Report(Recordings recordings, HoldChecker checker) {
		this.holds = recordings.holds();
		this.checker = checker;
		this.times = recordings.times();
		this.unknown = new ArrayList<>(recordings.gaps());
		checker.findings()
			.sort(Comparator.comparing(Finding::kind).thenComparingLong((finding) -> -finding.possibly()));
		if (this.holds.isEmpty()) {
			this.unknown.add("the recordings have no hold of a lock");
		}
		if (count(Kind.OPEN) > 0) {
			this.unknown.add(format("%,d pairs: when one hold ended is not recorded, or its JVM has noticed too late"
					+ " that the lease had ended", count(Kind.OPEN)));
		}
		if (checker.unplaced() > 0) {
			this.unknown
				.add(format("%,d holds: no token of their JVM is the time of a server. They were compared inside"
						+ " their JVM, and by tokens. Tokens show the order of holders, and not whether one had left when"
						+ " the next one entered", checker.unplaced()));
		}
		if (checker.withoutToken() > 0) {
			this.unknown
				.add(format("%,d holds have no token: not compared with those of other JVMs", checker.withoutToken()));
		}
	}

	/**
	 * Return whether a lock did not do what it promises.
	 */
	boolean isHarmful() {
		return count(Kind.OVERLAP) + count(Kind.TOKEN) > 0;
	}

	/**
	 * Return why more holds may overlap than were found.
	 */
	List<String> unknown() {
		return this.unknown;
	}

	/**
	 * Return the figures as JSON.
	 */
	String counts() {
		return "{\"holds\":%s,\"keys\":%s,\"jvms\":%s,\"disjoint\":%s,\"overlapping\":%s,\"uncertain\":%s,\"open\":%s,\"tokens\":%s}"
			.formatted(this.holds.size(), keys(), jvms(), this.checker.disjoint(), count(Kind.OVERLAP),
					count(Kind.UNCERTAIN), count(Kind.OPEN), count(Kind.TOKEN));
	}

	private long keys() {
		return this.holds.stream().map(Hold::key).distinct().count();
	}

	private long jvms() {
		return this.holds.stream().map(Hold::jvm).distinct().count();
	}

	private long count(Kind kind) {
		return this.checker.findings().stream().filter((finding) -> finding.kind() == kind).count();
	}

	/**
	 * Return for how many nanoseconds at most holds overlap that may not do so.
	 */
	long mostUncertain() {
		return this.checker.findings()
			.stream()
			.filter((finding) -> finding.kind() == Kind.UNCERTAIN)
			.mapToLong(Finding::possibly)
			.max()
			.orElse(0);
	}

	/**
	 * Return the report: first the sentence, then what is not known, the times of the
	 * files, and the findings that may be harmful.
	 */
	List<String> lines() {
		List<String> lines = new ArrayList<>();
		lines.add(format("%,d holds of %,d keys in %,d JVMs: %,d overlap, %,d within %s", this.holds.size(), keys(),
				jvms(), count(Kind.OVERLAP), count(Kind.UNCERTAIN), duration(mostUncertain())));
		lines.add(format("%,d pairs of holds of a key are disjoint", this.checker.disjoint()));
		this.unknown.forEach((cause) -> lines.add("Not known: " + cause));
		lines.addAll(this.times);
		List<Finding> shown = this.checker.findings()
			.stream()
			.filter((finding) -> finding.kind() != Kind.UNCERTAIN)
			.toList();
		for (Finding finding : shown.subList(0, Math.min(shown.size(), MOST_SHOWN))) {
			String kind = switch (finding.kind()) {
				case TOKEN -> "Tokens that do not rise";
				case OPEN -> "Perhaps an overlap";
				default -> "Overlap of at most " + duration(finding.possibly());
			};
			lines.add("");
			lines.add("%s: %s, registry %s".formatted(kind, finding.first().name(), finding.first().registry()));
			describe(finding.first(), lines);
			describe(finding.second(), lines);
		}
		if (shown.size() > MOST_SHOWN) {
			lines.add(format("%nThese are the first %d of %d.", MOST_SHOWN, shown.size()));
		}
		return lines;
	}

	private void describe(Hold hold, List<String> lines) {
		Interval interval = this.checker.place(hold);
		lines.add("  %s, token %s, from %s to %s: %s".formatted(hold.jvm(), hold.token(),
				time(hold, interval.start().middle()), time(hold, interval.end().middle()), hold.end()));
		pauses(hold).forEach((pause) -> lines.add("    " + pause));
	}

	/**
	 * Return the pauses of the JVM during a hold.
	 */
	static List<String> pauses(Hold hold) {
		return hold.jvm()
			.pauses(hold)
			.stream()
			.map((pause) -> "the JVM was paused for %s, %s after the grant: %s".formatted(duration(pause.nanos()),
					duration(pause.start() - hold.wall() - hold.start()), pause.what()))
			.toList();
	}

	/**
	 * Return a moment of the server's clock; the clock of a JVM has no date.
	 */
	String time(Hold hold, long nanos) {
		return this.checker.clocks(hold).isEmpty() ? format("%.6f s", nanos / 1e9) : Chunks.time(nanos).toString();
	}

	static String duration(long nanos) {
		if (Math.abs(nanos) < 1_000_000) {
			return format("%.0f µs", Math.ceil(nanos / 1e3));
		}
		return (Math.abs(nanos) < 1_000_000_000) ? format("%.1f ms", nanos / 1e6) : format("%.2f s", nanos / 1e9);
	}

	private static String format(String format, Object... args) {
		return String.format(Locale.ROOT, format, args);
	}

}
