package io.github.distlock.test.audit;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs a test class that is expected to fail.
 */
public final class AuditedRun {

	private AuditedRun() {
	}

	/**
	 * Run a class.
	 * @param test the class
	 * @return why it failed, empty if it did not
	 */
	public static String failureOf(Class<?> test) {
		StringBuilder failure = new StringBuilder();
		TestExecutionListener listener = new TestExecutionListener() {

			@Override
			public void executionFinished(TestIdentifier executed, TestExecutionResult result) {
				result.getThrowable().ifPresent((ex) -> failure.append(ex.getMessage()));
			}

		};
		LauncherFactory.create()
			.execute(LauncherDiscoveryRequestBuilder.request().selectors(DiscoverySelectors.selectClass(test)).build(),
					listener);
		return failure.toString();
	}

}
