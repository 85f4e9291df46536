package io.github.distlock.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.distlock.benchmarks.catalogue.Contenders;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.report.Measurement;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.report.Results;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A tiny run of everybody over a real Redis, with two worker JVMs.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
class RunTests {

	/** Those that a version may not have; a reason must be given. */
	private static final Set<String> MAY_BE_ABSENT = Set.of("distlock-fair", "distlock-no-handoff");

	/** Until the directory is known. */
	private static Path folder = Path.of("");

	private static final ByteArrayOutputStream OUTPUT = new ByteArrayOutputStream();

	private static Results results = new Results();

	@BeforeAll
	static void run(@TempDir Path directory) throws Exception {
		folder = directory;
		Options options = new OptionsReader(folder).read("--workloads=uncontended-1,hot-2x1-1ms", "--contenders=full",
				"--rounds=1", "--slice=100ms", "--warm-up=0s", "--pin=off");
		results = new Run(options, new PrintStream(OUTPUT, true, StandardCharsets.UTF_8)).measure("not pinned");
	}

	@Test
	void everybodyExcludesAcrossTwoJvms() {
		List<String> waiting = able(Ability.WAITS);
		assertThat(of("hot-2x1-1ms")).extracting(Measurement::contender)
			.containsExactlyInAnyOrderElementsOf(present("hot-2x1-1ms", waiting));
		assertThat(of("hot-2x1-1ms")).allSatisfy((measurement) -> {
			assertThat(measurement.values().get(Metric.ACQUIRE_MAX)).isPositive();
			assertThat(measurement.values().get(Metric.LOST_UPDATES)).isZero();
		});
		assertThat(results.lostUpdates()).isZero();
	}

	@Test
	void whoIsAbsentHasAReason() {
		for (String workload : List.of("uncontended-1", "hot-2x1-1ms")) {
			Map<String, String> absent = results.absent(workload);
			assertThat(absent.keySet()).isSubsetOf(MAY_BE_ABSENT);
			assertThat(absent.values()).allSatisfy((reason) -> assertThat(reason).isNotBlank());
		}
	}

	@Test
	void theReportNamesEverybody() throws Exception {
		String report = Files.readString(folder.resolve("report.md"));
		assertThat(able(Ability.CYCLES))
			.allSatisfy((id) -> assertThat(report).containsAnyOf("| " + id + " |", "`" + id + "`"));
		assertThat(OUTPUT.toString(StandardCharsets.UTF_8)).contains(report);
		assertThat(folder.resolve("measurements.csv")).isNotEmptyFile();
		assertThat(folder.resolve("ratios.svg")).isNotEmptyFile();
	}

	/** The server counts the commands of all clients, so there is no other one. */
	@Test
	void commandsOfClientsAreToldFromThoseOfScripts(@TempDir Path directory) throws Exception {
		Options options = new OptionsReader(directory).read("--workloads=uncontended-1", "--contenders=floor",
				"--rounds=1", "--slice=100ms", "--warm-up=0s", "--pin=off");
		Map<Metric, Double> floor = new Run(options, new PrintStream(OutputStream.nullOutputStream()))
			.measure("not pinned")
			.measurements()
			.get(0)
			.values();
		// EVALSHA twice; SET, GET and DEL inside.
		assertThat(floor.get(Metric.CLIENT_COMMANDS)).isEqualTo(2);
		assertThat(floor.get(Metric.SCRIPT_COMMANDS)).isEqualTo(3);
		assertThat(floor.get(Metric.MESSAGES)).isZero();
		assertThat(floor.get(Metric.BYTES)).isBetween(200.0, 400.0);
	}

	private static List<Measurement> of(String workload) {
		return results.measurements()
			.stream()
			.filter((measurement) -> measurement.workload().equals(workload))
			.toList();
	}

	private static List<String> able(Ability ability) {
		return Contenders.all()
			.stream()
			.filter((contender) -> contender.stores().contains(Kind.REDIS))
			.filter((contender) -> contender.abilities().contains(ability))
			.map(Contender::id)
			.toList();
	}

	private static List<String> present(String workload, List<String> ids) {
		return ids.stream().filter((id) -> !results.absent(workload).containsKey(id)).toList();
	}

}
