package io.github.distlock.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.distlock.check.Finding.Verdict;

import org.springframework.boot.json.JsonWriter;

/**
 * What a check has found, with the words of the documentation.
 *
 * @param server where the locks are, without credentials
 * @param texts the words
 * @param findings what was found, by the name of the row
 */
record Report(String server, Texts texts, Map<String, Finding> findings) {

	/**
	 * Return 0 without a failure, 1 with one, and 2 if the check could not run: there is
	 * no more than one row, or what locks do is not known.
	 */
	int exitStatus() {
		int unknown = any(Verdict.NOT_KNOWN, "lock and clock|exclusion|lease|watch|killed JVM") ? 2 : 0;
		return (this.findings.size() < 2) ? 2 : any(Verdict.FAILED, ".*") ? 1 : unknown;
	}

	private boolean any(Verdict verdict, String rows) {
		return this.findings.entrySet()
			.stream()
			.anyMatch((row) -> row.getKey().matches(rows) && row.getValue().verdict() == verdict);
	}

	/** Return the report for people. */
	String table() {
		StringBuilder table = new StringBuilder("distlock-check: " + this.server + "\n\n");
		this.findings.forEach((row, finding) -> {
			table.append(String.format("%-9s %-14s %s%n", finding.verdict(), row, finding.text()));
			if (finding.verdict() != Verdict.OK) {
				table.append(String.format("%24s %s%n", "why:", this.texts.of(row, "why")))
					.append(String.format("%24s %s (docs/%s)%n", "do:", this.texts.of(row, "do"),
							this.texts.of(row, "page")));
			}
		});
		return table.toString();
	}

	/** Return the report for machines. */
	String json() {
		List<Map<String, String>> rows = new ArrayList<>();
		this.findings.forEach((name, finding) -> {
			Map<String, String> row = new LinkedHashMap<>();
			row.put("name", name);
			row.put("verdict", finding.verdict().toString());
			row.put("found", finding.text());
			Stream.of("why", "do", "page").forEach((word) -> row.put(word, this.texts.of(name, word)));
			rows.add(row);
		});
		Map<String, Object> report = new LinkedHashMap<>();
		report.put("server", this.server);
		report.put("exit", exitStatus());
		report.put("rows", rows);
		return JsonWriter.<Map<String, Object>>standard().writeToString(report);
	}

}
