package io.github.distlock.test;

import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Resets the locks before and after each test, since tests share the application context.
 * Registered in {@code spring.factories}.
 */
class TestLocksReset implements TestExecutionListener, Ordered {

	/** Outside of test-managed transactions, whose end may release locks. */
	@Override
	public int getOrder() {
		return 3900;
	}

	@Override
	public void beforeTestMethod(TestContext testContext) {
		reset(testContext);
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		reset(testContext);
	}

	private static void reset(TestContext testContext) {
		if (testContext.hasApplicationContext()) {
			testContext.getApplicationContext().getBeanProvider(TestLocks.class).ifAvailable(TestLocks::resetIfUsed);
		}
	}

}
