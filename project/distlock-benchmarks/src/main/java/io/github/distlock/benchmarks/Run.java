package io.github.distlock.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.benchmarks.catalogue.PreviousVersion;
import io.github.distlock.benchmarks.catalogue.Servers;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.ReportFiles;
import io.github.distlock.benchmarks.report.Results;
import io.github.distlock.benchmarks.servers.Deployment;
import io.github.distlock.benchmarks.servers.Server;
import io.github.distlock.benchmarks.workers.Crew;
import io.github.distlock.benchmarks.workloads.Bench;
import io.github.distlock.benchmarks.workloads.Workload;

/**
 * One run: servers, workers, workloads one after the other, report.
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
		try (Servers servers = new Servers(this.options.servers())) {
			notes(pinned, servers).forEach(this.progress::println);
			for (Deployment deployment : deployments()) {
				measure(deployment, servers, results, () -> files.write(results, notes(pinned, servers)));
			}
			String report = files.write(results, notes(pinned, servers));
			this.progress.println();
			this.progress.println(report);
		}
		return results;
	}

	private List<Deployment> deployments() {
		return this.options.workloads().stream().map(Workload::deployment).distinct().toList();
	}

	/** All workloads of one deployment, with one crew. */
	private void measure(Deployment deployment, Servers servers, Results results, Writing report) throws IOException {
		List<Workload> workloads = this.options.workloads()
			.stream()
			.filter((workload) -> workload.deployment() == deployment)
			.flatMap((workload) -> workload.after(this.options.warmUps()).stream())
			.toList();
		Server server;
		try {
			server = servers.open(deployment);
		}
		catch (IllegalStateException ex) {
			this.progress.println(deployment + ": the server did not start: " + ex.getMessage());
			workloads.forEach((workload) -> {
				results.begin(workload.chapter());
				results.absent(workload.chapter().id(), "all", "the server did not start: " + ex.getMessage());
			});
			return;
		}
		try (Crew crew = new Crew(server.address(), this.options.output())) {
			Bench bench = new Bench(crew, server, results, this.options.rounds(), this.options.slice(), this.progress);
			for (Workload workload : workloads) {
				run(workload, bench);
				report.write();
			}
		}
	}

	private void run(Workload workload, Bench bench) {
		long start = System.nanoTime();
		this.progress.println(workload.chapter().id() + ": " + workload.chapter().description());
		List<Contender> contenders = workload.among(this.options.contenders());
		bench.results().begin(compared(workload.chapter(), contenders));
		workload.run(bench, contenders);
		this.progress.println("  took " + Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s");
	}

	/** With the earlier version of the first contender that has one, if it takes part. */
	private static Chapter compared(Chapter chapter, List<Contender> contenders) {
		List<String> present = contenders.stream().map(Contender::id).toList();
		return present.stream()
			.map(PreviousVersion::id)
			.filter(present::contains)
			.findFirst()
			.map(chapter::against)
			.orElse(chapter);
	}

	private List<String> notes(String pinned, Servers servers) {
		String warmUps = this.options.warmUps()
			.stream()
			.map((warmUp) -> (warmUp.cold() ? "cold: new JVMs for each slice, warm-up of %d ms" : "warm-up of %d ms")
				.formatted(warmUp.time().toMillis()))
			.collect(Collectors.joining("; "));
		return List.of(
				"%d rounds, slices of %d ms, %s".formatted(this.options.rounds(), this.options.slice().toMillis(),
						warmUps),
				pinned,
				Stream
					.of(Stream.of("Java " + System.getProperty("java.version")), servers.versions().stream(),
							Stream.of(System.getProperty("os.name") + " " + System.getProperty("os.arch")))
					.flatMap((part) -> part)
					.collect(Collectors.joining(", ")));
	}

	@FunctionalInterface
	private interface Writing {

		void write() throws IOException;

	}

}
