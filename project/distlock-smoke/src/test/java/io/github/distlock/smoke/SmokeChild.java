package io.github.distlock.smoke;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs {@link SmokeTests} in this JVM. Fails unless at least one test ran and all passed.
 */
final class SmokeChild {

	private SmokeChild() {
	}

	public static void main(String[] arguments) {
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create()
			.execute(LauncherDiscoveryRequestBuilder.request()
				.selectors(DiscoverySelectors.selectClass(SmokeTests.class))
				.build(), listener);
		TestExecutionSummary summary = listener.getSummary();
		summary.printTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
		summary.printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
		System.exit((summary.getTestsSucceededCount() > 0 && summary.getTotalFailureCount() == 0) ? 0 : 1);
	}

}
