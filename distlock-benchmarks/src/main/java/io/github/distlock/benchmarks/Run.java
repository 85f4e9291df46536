package io.github.distlock.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.PreviousVersion;
import io.github.distlock.benchmarks.redis.RedisServer;
import io.github.distlock.benchmarks.redis.ServerWatch;
import io.github.distlock.benchmarks.report.ReportFiles;
import io.github.distlock.benchmarks.report.Results;
import io.github.distlock.benchmarks.workers.Crew;
import io.github.distlock.benchmarks.workloads.Bench;
import io.github.distlock.benchmarks.workloads.Workload;

/**
 * One run: server, workers, workloads one after the other, report.
 *
 * @param options what is asked for
 * @param progress what happens is told here
 */
record Run(Options options, PrintStream progress) {

	/**
	 * Measure. Blocks until all is done; the report is written after each workload, so
	 * that a run that is interrupted leaves something.
	 * @param pinned whether all is on one processor, for the report
	 * @return everything that was measured
	 * @throws IOException if a file cannot be written
	 */
	Results measure(String pinned) throws IOException {
		Results results = new Results();
		Path previous = this.options.previous();
		if (previous != null) {
			System.setProperty(PreviousVersion.PROPERTY, previous.toString());
		}
		ReportFiles files = new ReportFiles(this.options.output());
		Files.createDirectories(this.options.output());
		try (RedisServer redis = RedisServer.open(this.options.redis());
				ServerWatch server = new ServerWatch(redis.address());
				Crew crew = new Crew(redis.address(), this.options.output())) {
			List<String> notes = notes(pinned, server.version());
			notes.forEach(this.progress::println);
			Bench bench = new Bench(crew, server, results, this.options.rounds(), this.options.slice(),
					this.options.warmUp(), this.progress);
			String report = "";
			for (Workload workload : this.options.workloads()) {
				run(workload, bench);
				report = files.write(results, notes);
			}
			this.progress.println();
			this.progress.println(report);
		}
		return results;
	}

	private void run(Workload workload, Bench bench) {
		long start = System.nanoTime();
		this.progress.println(workload.chapter().id() + ": " + workload.chapter().description());
		List<Contender> contenders = workload.among(this.options.contenders());
		boolean compared = contenders.stream().anyMatch((contender) -> contender.id().equals(PreviousVersion.ID));
		bench.results().begin(compared ? workload.chapter().against(PreviousVersion.ID) : workload.chapter());
		workload.run(bench, contenders);
		this.progress.println("  took " + Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s");
	}

	private List<String> notes(String pinned, String redisVersion) {
		return List.of(
				"%d rounds, slices of %d ms, warm-up of %d ms".formatted(this.options.rounds(),
						this.options.slice().toMillis(), this.options.warmUp().toMillis()),
				pinned, "Java %s, Redis %s, %s %s".formatted(System.getProperty("java.version"), redisVersion,
						System.getProperty("os.name"), System.getProperty("os.arch")));
	}

}
