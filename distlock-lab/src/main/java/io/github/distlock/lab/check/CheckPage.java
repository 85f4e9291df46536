package io.github.distlock.lab.check;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The page of a check: one file that needs no server. It draws each finding, the worst
 * first, in the lanes of the lab, and then the beginning of the busiest keys.
 */
final class CheckPage {

	private static final int MOST_FINDINGS = 60;

	private static final int BUSIEST = 10;

	/** More bars cannot be told apart. */
	private static final int MOST_HOLDS = 60;

	private final HoldChecker checker;

	private final Report report;

	private final Map<String, List<Hold>> keys;

	CheckPage(Report report, HoldChecker checker, List<Hold> holds) {
		this.report = report;
		this.checker = checker;
		this.keys = HoldChecker.byKey(holds);
		this.keys.values().forEach((members) -> members.sort(Comparator.comparingLong(this::start)));
	}

	String html() throws IOException {
		return read("check.html").replace("${styles}", read("/static/lab.css"))
			// Not the end of the script, whatever a key says.
			.replace("${data}", data().replace("<", "\\u003c"));
	}

	private static String read(String name) throws IOException {
		try (InputStream file = Objects.requireNonNull(CheckPage.class.getResourceAsStream(name), name)) {
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	private String data() {
		List<Finding> findings = this.checker.findings();
		List<String> pictures = new ArrayList<>();
		findings.stream().limit(MOST_FINDINGS).forEach((finding) -> pictures.add(picture(finding)));
		this.keys.values()
			.stream()
			.sorted(Comparator.comparingInt((members) -> -members.size()))
			.limit(BUSIEST)
			.forEach(
					(members) -> pictures.add(picture(members.subList(0, Math.min(members.size(), MOST_HOLDS)), null)));
		return "{\"most\":%s,\"counts\":%s,\"unknown\":%s,\"findings\":%s,\"shown\":%s,\"pictures\":%s}".formatted(
				micros(this.report.mostUncertain()), this.report.counts(),
				this.report.unknown().stream().map(CheckPage::quoted).toList(), findings.size(),
				Math.min(findings.size(), MOST_FINDINGS), pictures);
	}

	/** Both holds, and those of the key around them. */
	private String picture(Finding finding) {
		List<Hold> members = this.keys.getOrDefault(finding.first().key(), List.of());
		long from = Math.min(start(finding.first()), start(finding.second()));
		long to = Math.max(end(finding.first()), end(finding.second()));
		Set<Hold> shown = members.stream()
			.filter((hold) -> end(hold) >= from && start(hold) <= to)
			.limit(MOST_HOLDS)
			.collect(Collectors.toSet());
		shown.addAll(List.of(finding.first(), finding.second()));
		return picture(members.stream().filter(shown::contains).toList(), finding);
	}

	private String picture(List<Hold> holds, @Nullable Finding finding) {
		long first = start(holds.get(0));
		long last = holds.stream().mapToLong(this::end).max().orElse(first);
		long margin = Math.max(1000, (last - first) / 20);
		List<String> bars = new ArrayList<>();
		for (Hold hold : holds) {
			boolean found = finding != null && (hold == finding.first() || hold == finding.second());
			bars.add("{\"jvm\":%s,\"token\":\"%s\",\"from\":%s,\"to\":%s,\"found\":%s,\"end\":%s,\"pauses\":%s}"
				.formatted(quoted(hold.jvm().toString()), hold.token(), micros(start(hold) - first + margin),
						micros(end(hold) - first + margin), found, quoted(hold.end()),
						quoted(String.join("; ", found ? Report.pauses(hold) : List.of()))));
		}
		Hold any = holds.get(0);
		return "{\"kind\":\"%s\",\"key\":%s,\"registry\":%s,\"possibly\":%s,\"since\":%s,\"length\":%s,\"holds\":%s}"
			.formatted((finding != null) ? finding.kind() : "NONE", quoted(any.name()), quoted(any.registry()),
					micros((finding != null) ? finding.possibly() : 0), quoted(this.report.time(any, first - margin)),
					micros(last - first + 2 * margin), bars);
	}

	private long start(Hold hold) {
		return this.checker.place(hold).start().middle();
	}

	private long end(Hold hold) {
		return this.checker.place(hold).end().middle();
	}

	private static String micros(long nanos) {
		return String.valueOf(nanos / 1000.0);
	}

	static String quoted(String text) {
		return '"' + text.chars()
			.mapToObj((letter) -> (letter < ' ' || letter == '"' || letter == '\\') ? "\\u%04x".formatted(letter)
					: String.valueOf((char) letter))
			.collect(Collectors.joining()) + '"';
	}

}
