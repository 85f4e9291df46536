package io.github.distlock.benchmarks;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.github.distlock.benchmarks.report.Measurement;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.report.Results;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A tiny run over stores beside Redis.
 */
class StoreRunTests {

	private static Results results = new Results();

	@BeforeAll
	static void run(@TempDir Path directory) throws Exception {
		Options options = new OptionsReader(directory).read("--workloads=h2-uncontended-1,zookeeper-uncontended-1",
				"--contenders=distlock,spring-jdbc,curator", "--rounds=1", "--slice=100ms", "--warm-up=0s",
				"--pin=off");
		results = new Run(options, new PrintStream(OutputStream.nullOutputStream())).measure("not pinned");
	}

	@Test
	void eachStoreIsMeasuredWithTheLocksThatAreMadeForIt() {
		assertThat(contenders("h2-uncontended-1")).containsExactly("distlock", "spring-jdbc");
		assertThat(contenders("zookeeper-uncontended-1")).containsExactly("distlock", "curator");
	}

	@Test
	void theServersCountWhatALockSends() {
		// The row is written and deleted.
		assertThat(values("h2-uncontended-1", "spring-jdbc").get(Metric.STATEMENTS)).isGreaterThanOrEqualTo(2);
		// A node is created, its place among the others is looked up, and it is deleted.
		assertThat(values("zookeeper-uncontended-1", "curator").get(Metric.REQUESTS)).isGreaterThanOrEqualTo(3);
	}

	private static List<String> contenders(String workload) {
		return of(workload).stream().map(Measurement::contender).toList();
	}

	private static Map<Metric, Double> values(String workload, String contender) {
		return of(workload).stream()
			.filter((measurement) -> measurement.contender().equals(contender))
			.findFirst()
			.orElseThrow()
			.values();
	}

	private static List<Measurement> of(String workload) {
		return results.measurements()
			.stream()
			.filter((measurement) -> measurement.workload().equals(workload))
			.toList();
	}

}
