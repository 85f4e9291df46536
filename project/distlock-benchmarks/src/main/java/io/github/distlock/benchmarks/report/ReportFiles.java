package io.github.distlock.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The files that a run leaves: a report to read, rows to compute with, a chart.
 *
 * @param folder where they are
 */
public record ReportFiles(Path folder) {

	/**
	 * Write all, over those of an earlier run in the same folder.
	 * @param results what was measured
	 * @param notes what to know about the run
	 * @return the report
	 * @throws IOException if a file cannot be written
	 */
	public String write(Results results, List<String> notes) throws IOException {
		Files.createDirectories(this.folder);
		String report = new MarkdownReport(results).write(notes);
		Files.writeString(this.folder.resolve("report.md"), report);
		Files.writeString(this.folder.resolve("measurements.csv"), CsvReport.write(results));
		Files.writeString(this.folder.resolve("ratios.svg"), new RatioChart(results).draw());
		return report;
	}

}
