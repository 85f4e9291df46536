package io.github.distlock.test.audit;

import java.util.List;

import org.springframework.context.ApplicationContext;

/**
 * Ends an audit before the end of its class, and begins another one.
 */
public final class AuditRound {

	private AuditRound() {
	}

	/**
	 * Forget what was seen.
	 * @param context the context with the audit
	 * @return the findings
	 */
	public static List<String> end(ApplicationContext context) {
		LockAudit audit = context.getBean(LockAudit.class);
		List<String> findings = audit.report(AuditRound.class);
		audit.tables().writes().clear();
		audit.findings().clear();
		audit.reported().clear();
		return findings;
	}

}
