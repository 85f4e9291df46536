package io.github.distlock.testing;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import org.springframework.util.ReflectionUtils;

/**
 * Runs test methods in another JVM and prints how many succeeded and failed. The
 * arguments are {@code class#method}; a method with parameters is found by its name.
 */
public final class TestRunChild {

	/** The start of the line with the counts. */
	public static final String RESULT = "test run:";

	private TestRunChild() {
	}

	public static void main(String[] arguments) throws Exception {
		PrintStream out = System.out;
		out.println("started");
		Launcher launcher = LauncherFactory.create();
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		launcher.execute(LauncherDiscoveryRequestBuilder.request().selectors(selectors(arguments)).build(), listener);
		TestExecutionSummary summary = listener.getSummary();
		summary.getFailures().forEach((failure) -> out.println("failed: " + failure.getException()));
		out.println(RESULT + " " + summary.getTestsSucceededCount() + " succeeded, " + summary.getTotalFailureCount()
				+ " failed");
		out.flush();
		// Threads of a faulty library must not keep this process alive.
		Runtime.getRuntime().halt(0);
	}

	private static List<DiscoverySelector> selectors(String[] tests) throws ClassNotFoundException {
		List<DiscoverySelector> selectors = new ArrayList<>();
		for (String test : tests) {
			String name = test.substring(test.indexOf('#') + 1);
			Class<?> type = Class.forName(test.substring(0, test.indexOf('#')));
			Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
				.filter((method) -> method.getName().equals(name))
				.map((method) -> DiscoverySelectors.selectMethod(type, method))
				.forEach(selectors::add);
		}
		return selectors;
	}

}
