package io.github.distlock.test.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Fails a class with new findings. Registered in {@code spring.factories}.
 */
final class AuditLocksListener implements TestExecutionListener, Ordered {

	/** The audits of a class, whose contexts may be closed. Each class has a listener. */
	private final Set<LockAudit> audits = new CopyOnWriteArraySet<>();

	/** After the context is there, again if it was closed before a method. */
	@Override
	public int getOrder() {
		return 3950;
	}

	@Override
	public void beforeTestMethod(TestContext test) {
		if (test.hasApplicationContext()) {
			test.getApplicationContext().getBeanProvider(LockAudit.class).forEach((audit) -> {
				audit.places().tests().add(test.getTestClass());
				this.audits.add(audit);
			});
		}
	}

	@Override
	public void afterTestClass(TestContext test) {
		List<String> findings = new ArrayList<>();
		this.audits.forEach((audit) -> findings.addAll(audit.report(test.getTestClass())));
		if (!findings.isEmpty()) {
			throw new AssertionError("@AuditLocks found code without its lock, new at the end of "
					+ test.getTestClass().getName() + ":\n\n" + String.join("\n\n", findings)
					+ "\n\nTo allow an exception, write @Unguarded(\"reason\") on its method or class.");
		}
	}

}
