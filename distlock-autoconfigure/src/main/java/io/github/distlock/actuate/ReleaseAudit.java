package io.github.distlock.actuate;

import java.security.Principal;
import java.util.Map;

import io.github.distlock.backend.LockKeys;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes an audit event and writes a log line for each request to release locks. Both
 * contain what the operator sees: values that are masked for the operator are masked.
 *
 * @param publisher receives an {@link AuditApplicationEvent} for each request
 */
public record ReleaseAudit(ApplicationEventPublisher publisher) {

	/** Type of the event after a release. */
	public static final String RELEASED = "DISTLOCK_RELEASED";

	/** Type of the event after a request that released nothing. */
	public static final String REFUSED = "DISTLOCK_RELEASE_REFUSED";

	private static final Log logger = LogFactory.getLog(ReleaseAudit.class);

	/**
	 * Report a request. The grant has ended already, or not: if the event cannot be
	 * published, the answer is an error, and the log line says what happened.
	 * @param operator the user, {@code null} if it is not known
	 * @param data what was requested; the refusal is added to it
	 * @param refusal why nothing was released, {@code null} after a release
	 */
	void publish(@Nullable Principal operator, Map<String, Object> data, @Nullable String refusal) {
		String principal = (operator != null) ? operator.getName() : null;
		String type = (refusal != null) ? REFUSED : RELEASED;
		if (refusal != null) {
			data.put("refusal", refusal);
		}
		AuditEvent event = new AuditEvent(principal, type, data);
		logger.info(LockKeys.printable("An operator (" + ((principal != null) ? principal : "not authenticated")
				+ ") asked to release locks: " + type + " " + data));
		this.publisher.publishEvent(new AuditApplicationEvent(event));
	}

}
