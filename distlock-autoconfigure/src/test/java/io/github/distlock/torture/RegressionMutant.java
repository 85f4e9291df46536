package io.github.distlock.torture;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import io.github.distlock.testing.ChildJvm;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import org.springframework.util.FileSystemUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A fault that the library once had, and the test that must detect it, {@code
 * class#method}.
 */
record RegressionMutant(Mutant mutant, String test) {

	/** The start of the line with the counts. */
	private static final String RESULT = "test run:";

	static RegressionMutant of(Mutant mutant) {
		return new RegressionMutant(mutant, "io.github.distlock." + mutant.net());
	}

	Result runWithoutFault() {
		return run(System.getProperty("java.class.path"));
	}

	Result runWithFault(Path folder) throws IOException {
		FileSystemUtils.deleteRecursively(folder.resolve("classes").toFile());
		this.mutant.applyTo(folder);
		return run(folder.resolve("classes") + File.pathSeparator + System.getProperty("java.class.path"));
	}

	private Result run(String classPath) {
		List<String> options = List.of("-ea", "-Xmx512m", "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
				"-cp", classPath);
		try (ChildJvm child = ChildJvm.start(options, RegressionMutant.class, this.test)) {
			String[] counts = child.expect(RESULT).split("\\D+");
			return new Result(Integer.parseInt(counts[0]), Integer.parseInt(counts[1]));
		}
	}

	/** Run a test and print the counts. If it has parameters, it is found by its name. */
	public static void main(String[] arguments) throws Exception {
		PrintStream out = System.out;
		out.println("started");
		String[] names = arguments[0].split("#");
		Class<?> type = Class.forName(names[0]);
		List<? extends DiscoverySelector> selectors = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
			.filter((method) -> method.getName().equals(names[1]))
			.map((method) -> DiscoverySelectors.selectMethod(type, method))
			.toList();
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create()
			.execute(LauncherDiscoveryRequestBuilder.request().selectors(selectors).build(), listener);
		TestExecutionSummary summary = listener.getSummary();
		summary.getFailures().forEach((failure) -> out.println("failed: " + failure.getException()));
		out.println(RESULT + " " + summary.getTestsSucceededCount() + " succeeded, " + summary.getTotalFailureCount()
				+ " failed");
		out.flush();
		// Threads of a faulty library must not keep this process alive.
		Runtime.getRuntime().halt(0);
	}

	@Override
	public String toString() {
		return this.mutant.name();
	}

	record Result(int succeeded, int failed) {
	}

}
