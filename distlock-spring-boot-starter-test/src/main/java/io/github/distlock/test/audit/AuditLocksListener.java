package io.github.distlock.test.audit;

import java.util.List;
import java.util.Optional;

import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Fails a class with new findings. Registered in {@code spring.factories}.
 */
final class AuditLocksListener implements TestExecutionListener, Ordered {

	/** After the context is there; at the end before it may be closed. */
	@Override
	public int getOrder() {
		return 3950;
	}

	@Override
	public void prepareTestInstance(TestContext test) {
		audit(test).ifPresent((audit) -> audit.places().tests().add(test.getTestClass()));
	}

	@Override
	public void afterTestClass(TestContext test) {
		List<String> findings = audit(test).map((audit) -> audit.report(test.getTestClass())).orElse(List.of());
		if (!findings.isEmpty()) {
			throw new AssertionError("@AuditLocks found code without its lock, new at the end of "
					+ test.getTestClass().getName() + ":\n\n" + String.join("\n\n", findings)
					+ "\n\nTo allow an exception, write @Unguarded(\"reason\") on its method or class.");
		}
	}

	private static Optional<LockAudit> audit(TestContext test) {
		return test.hasApplicationContext()
				? test.getApplicationContext().getBeanProvider(LockAudit.class).stream().findFirst() : Optional.empty();
	}

}
