package io.github.distlock.benchmarks.report;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a run leaves.
 */
class ReportFilesTests {

	@Test
	void theReportHasMediansAndPairedRatiosWithTheirInterval(@TempDir Path folder) throws Exception {
		Results results = results();
		String report = new ReportFiles(folder).write(results, List.of("a note"));
		assertThat(report).contains("- a note", "## here", "who & what",
				"| slow | 100 | 1.00 | 1.00..1.00 | 7.00 | 0 |", "| fast | 300 | 3.00 | 1.00..5.00 | 2.00 | 3 |",
				"Not measured: `odd`, it refuses");
		assertThat(Files.readString(folder.resolve("report.md"))).isEqualTo(report);
	}

	@Test
	void theRowsHaveEveryRound(@TempDir Path folder) throws Exception {
		new ReportFiles(folder).write(results(), List.of());
		List<String> rows = Files.readAllLines(folder.resolve("measurements.csv"));
		assertThat(rows).hasSize(7);
		assertThat(rows.get(0)).startsWith("workload,contender,round,throughput,acquire_p50");
		assertThat(rows.get(6)).startsWith("here,fast,3,500.0000,,");
	}

	@Test
	void theChartIsADrawingWithABarForEach(@TempDir Path folder) throws Exception {
		new ReportFiles(folder).write(results(), List.of());
		Path chart = folder.resolve("ratios.svg");
		assertThat(DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(chart.toFile()).getDocumentElement())
			.satisfies((svg) -> assertThat(svg.getTagName()).isEqualTo("svg"))
			// The ground and two bars.
			.satisfies((svg) -> assertThat(svg.getElementsByTagName("rect").getLength()).isEqualTo(3));
		assertThat(Files.readString(chart)).contains("3.00 [1.00..5.00]");
	}

	private static Results results() {
		Results results = new Results();
		results.begin(new Chapter("here", "who & what", "slow", Metric.THROUGHPUT,
				List.of(Metric.CLIENT_COMMANDS, Metric.LOST_UPDATES)));
		for (int round = 1; round <= 3; round++) {
			results.add(new Measurement("here", "slow", round,
					Map.of(Metric.THROUGHPUT, 100.0, Metric.CLIENT_COMMANDS, 7.0, Metric.LOST_UPDATES, 0.0)));
			results.add(new Measurement("here", "fast", round, Map.of(Metric.THROUGHPUT, 200.0 * round - 100,
					Metric.CLIENT_COMMANDS, 2.0, Metric.LOST_UPDATES, 1.0)));
		}
		results.absent("here", "odd", "it refuses");
		return results;
	}

}
