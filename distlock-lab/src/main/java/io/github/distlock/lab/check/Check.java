package io.github.distlock.lab.check;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks recordings of the flight recorder: whether two holders had a lock at once.
 */
public final class Check {

	private static final String USAGE = """
			Usage: check RECORDING.jfr … [--html=FILE] [--drift=PPM]
			  RECORDING.jfr  the recordings of all JVMs that use the locks
			  --html=FILE    also draw the holds
			  --drift=200    by how many parts per million the speeds of two clocks may differ
			Status: 0 no overlap; 1 overlap, or tokens that do not rise; 2 not known, or the check could not run""";

	private static final int HARMFUL = 1;

	private static final int NOT_KNOWN = 2;

	private Check() {
	}

	/**
	 * Check recordings, and end this JVM with a status: 0 if no holds overlap, 1 if holds
	 * overlap or tokens do not rise, 2 if that is not known or the check could not run.
	 * @param args the files, and options
	 */
	public static void main(String... args) {
		System.exit(run(System.out, args));
	}

	/**
	 * Check recordings.
	 * @param out where the user reads
	 * @param args the files, and options
	 * @return the status to exit with
	 */
	static int run(PrintStream out, String... args) {
		Map<String, String> options = new HashMap<>(Map.of("--html", "", "--drift", "200"));
		for (String arg : args) {
			String[] option = arg.split("=", 2);
			if (arg.startsWith("--") && (option.length < 2 || options.replace(option[0], option[1]) == null)) {
				out.println("Argument '%s' is unknown.%n%s".formatted(arg, USAGE));
				return NOT_KNOWN;
			}
		}
		String drift = options.getOrDefault("--drift", "");
		if (!drift.matches("\\d{1,6}")) {
			out.println("--drift=%s is no number of parts per million: write --drift=200".formatted(drift));
			return NOT_KNOWN;
		}
		List<Path> files = Arrays.stream(args).filter((arg) -> !arg.startsWith("--")).map(Path::of).toList();
		if (files.isEmpty()) {
			out.println(USAGE);
			return NOT_KNOWN;
		}
		try {
			return check(out, files, options.getOrDefault("--html", ""), Integer.parseInt(drift) / 1e6);
		}
		catch (IOException ex) {
			out.println("The check could not run: " + ex);
			return NOT_KNOWN;
		}
	}

	private static int check(PrintStream out, List<Path> files, String page, double drift) throws IOException {
		Recordings recordings = new Recordings(files);
		HoldChecker checker = new HoldChecker(drift);
		checker.check(recordings.holds());
		Report report = new Report(recordings, checker);
		report.lines().forEach(out::println);
		if (!page.isEmpty()) {
			Files.writeString(Path.of(page), new CheckPage(report, checker, recordings.holds()).html());
			out.println("Drawn in " + page);
		}
		return report.isHarmful() ? HARMFUL : report.unknown().isEmpty() ? 0 : NOT_KNOWN;
	}

}
