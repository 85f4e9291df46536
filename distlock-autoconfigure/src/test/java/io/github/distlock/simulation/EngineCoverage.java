package io.github.distlock.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.github.distlock.registry.BackendLockRegistry;
import org.jacoco.agent.rt.RT;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.ISourceFileCoverage;
import org.jacoco.core.tools.ExecFileLoader;

/** Which lines of the engine the simulation has run. */
final class EngineCoverage {

	private static final List<String> PACKAGES = List.of("waiting", "renewal", "registry");

	private static final String BASE = "io/github/distlock/";

	private final List<ISourceFileCoverage> files;

	private EngineCoverage(List<ISourceFileCoverage> files) {
		this.files = files;
	}

	/** The option of a JVM that writes what it has run to a file when it ends. */
	static String agentOption(Path file) {
		String includes = String.join(":",
				PACKAGES.stream().map((name) -> BASE.replace('/', '.') + name + ".*").toList());
		return "-javaagent:" + location(RT.class) + "=destfile=" + file.toAbsolutePath() + ",append=true,includes="
				+ includes;
	}

	/** Read such a file. */
	static EngineCoverage read(Path file) {
		try {
			ExecFileLoader executed = new ExecFileLoader();
			executed.load(file.toFile());
			CoverageBuilder builder = new CoverageBuilder();
			Analyzer analyzer = new Analyzer(executed.getExecutionDataStore(), builder);
			for (String name : PACKAGES) {
				analyzer.analyzeAll(location(BackendLockRegistry.class).resolve(BASE + name).toFile());
			}
			return new EngineCoverage(builder.getSourceFiles()
				.stream()
				.filter((each) -> each.getLineCounter().getTotalCount() > 0)
				.sorted(Comparator.comparing(EngineCoverage::name))
				.toList());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path location(Class<?> type) {
		try {
			return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String name(ISourceFileCoverage file) {
		return file.getPackageName().substring(BASE.length()) + "/" + file.getName().replace(".java", "");
	}

	/** The share of the lines that were run. */
	double share() {
		double all = this.files.stream().mapToInt((each) -> each.getLineCounter().getTotalCount()).sum();
		return this.files.stream().mapToInt((each) -> each.getLineCounter().getCoveredCount()).sum() / all;
	}

	/**
	 * A line for each class: its share, and the numbers of the lines that were not run.
	 */
	List<String> report() {
		List<String> lines = new ArrayList<>();
		for (ISourceFileCoverage file : this.files) {
			lines.add(String.format("%5.1f %% of %4d  %-36s %s", file.getLineCounter().getCoveredRatio() * 100,
					file.getLineCounter().getTotalCount(), name(file), missing(file)));
		}
		lines.add(String.format("%5.1f %% of the lines of the engine", share() * 100));
		return lines;
	}

	/** Such as {@code 17, 23-25}. */
	private static String missing(ISourceFileCoverage file) {
		List<String> ranges = new ArrayList<>();
		int begin = 0;
		int last = 0;
		for (int line = file.getFirstLine(); line <= file.getLastLine() + 1; line++) {
			int status = file.getLine(line).getStatus();
			if (status == ICounter.NOT_COVERED) {
				begin = (begin == 0) ? line : begin;
				last = line;
			}
			else if (begin != 0 && (status != ICounter.EMPTY || line > file.getLastLine())) {
				ranges.add((begin == last) ? String.valueOf(begin) : begin + "-" + last);
				begin = 0;
			}
		}
		return String.join(", ", ranges);
	}

}
