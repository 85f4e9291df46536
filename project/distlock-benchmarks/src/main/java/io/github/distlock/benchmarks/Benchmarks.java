package io.github.distlock.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

import io.github.distlock.benchmarks.catalogue.Contenders;
import io.github.distlock.benchmarks.jvms.ParentWatch;
import io.github.distlock.benchmarks.report.Results;
import io.github.distlock.benchmarks.workloads.Workloads;

import org.springframework.boot.system.ApplicationHome;

/**
 * The program: {@code --help} says what it can do. Ends with status 1 if a lock let two
 * in, 2 if the command line makes no sense.
 */
public final class Benchmarks {

	private Benchmarks() {
	}

	/**
	 * Measure.
	 * @param args see {@code --help}
	 */
	public static void main(String[] args) {
		ParentWatch.startIfAsked();
		System.exit(new Benchmarks().run(System.out, args));
	}

	private int run(PrintStream out, String... arguments) {
		List<String> words = List.of(arguments);
		if (words.contains("--help")) {
			out.print(Options.USAGE);
			return 0;
		}
		if (words.contains("--list")) {
			list(out);
			return 0;
		}
		try {
			Options options = new OptionsReader(defaultOutput()).read(arguments);
			Integer processor = options.processor();
			String pinned = (processor != null) ? Pinning.pin(processor)
					: "NOT PINNED, as asked for: ratios spread more";
			Results results = new Run(options, out).measure(pinned);
			out.println("Report, measurements and chart: " + options.output());
			if (results.lostUpdates() > 0) {
				out.println("A lock let two in: " + results.lostUpdates() + " updates were lost");
				return 1;
			}
			return 0;
		}
		catch (IllegalArgumentException | IOException | UncheckedIOException ex) {
			out.println(ex.getMessage());
			return 2;
		}
	}

	private static void list(PrintStream out) {
		out.println("Workloads:");
		Workloads.all()
			.forEach((workload) -> out
				.println("  %-26s %s".formatted(workload.chapter().id(), workload.chapter().description())));
		out.println("Contenders:");
		Contenders.all()
			.forEach((contender) -> out.println("  %-20s %s".formatted(contender.id(), contender.description())));
	}

	/** In the build folder, whatever the working directory is. */
	private static Path defaultOutput() {
		File source = new ApplicationHome(Benchmarks.class).getSource();
		Path classes = (source != null) ? source.toPath().toAbsolutePath() : Path.of("").toAbsolutePath();
		Path target = classes.getParent();
		return ((target != null) ? target : classes).resolve("benchmarks").resolve("results");
	}

}
