package io.github.distlock.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.distlock.testing.TestRunChild;

/**
 * A fault that the library once had, and the test that must detect it.
 *
 * @param mutant the library with the fault
 * @param test the class and method that must fail, {@code class#method}
 */
record RegressionMutant(Mutant mutant, String test) {

	private static final Pattern RESULT = Pattern
		.compile(Pattern.quote(TestRunChild.RESULT) + " (\\d+) succeeded, (\\d+) failed");

	private static final long LONGEST_MINUTES = 5;

	static RegressionMutant of(Mutant mutant, String test) {
		return new RegressionMutant(mutant, "io.github.distlock." + test);
	}

	/** Run the test against the library as it is. */
	Result runWithoutFault(Path folder) {
		return run(folder.resolve("control.log"), System.getProperty("java.class.path"));
	}

	/** Run the test against the library with the fault. */
	Result runWithFault(Path folder) {
		Hunt.delete(folder.resolve("classes"));
		this.mutant.applyTo(folder);
		return run(folder.resolve("mutant.log"), folder.resolve("classes") + System.getProperty("path.separator")
				+ System.getProperty("java.class.path"));
	}

	private Result run(Path log, String classPath) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-ea", "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"), "-cp", classPath));
		command.add(TestRunChild.class.getName());
		command.add(this.test);
		try {
			Files.createDirectories(log.toAbsolutePath().getParent());
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(log.toFile())
				.start();
			boolean ended = process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES);
			process.destroyForcibly();
			Matcher result = RESULT.matcher(Files.readString(log, StandardCharsets.UTF_8));
			if (!ended) {
				return new Result(0, 1, log);
			}
			if (!result.find()) {
				throw new IllegalStateException("The test run '" + this + "' ended without a result: " + log);
			}
			return new Result(Integer.parseInt(result.group(1)), Integer.parseInt(result.group(2)), log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public String toString() {
		return this.mutant.name();
	}

	/**
	 * How a test run ended. A run that does not end counts as a failure.
	 *
	 * @param succeeded the number of tests that succeeded
	 * @param failed the number of tests that failed
	 * @param log what the run printed
	 */
	record Result(int succeeded, int failed, Path log) {
	}

}
