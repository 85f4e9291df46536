package io.github.distlock.aop;

import java.time.Duration;

import io.github.distlock.HandOff;
import io.github.distlock.LockListener.Attempted;
import io.github.distlock.LockListener;
import io.github.distlock.LockOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Notifies listeners of calls that are refused before they reach a registry. The registry
 * notifies them of all other calls.
 */
final class RejectionReporter {

	private static final Log logger = LogFactory.getLog(RejectionReporter.class);

	private final RegistryResolver registries;

	private final LockEnvironment environment;

	RejectionReporter(RegistryResolver registries, LockEnvironment environment) {
		this.registries = registries;
		this.environment = environment;
	}

	/**
	 * Report a refused call.
	 * @param definition the definition of the lock
	 * @param startNanos when the evaluation of the call began
	 */
	void report(LockDefinition definition, long startNanos) {
		Duration waited = Duration.ofNanos(System.nanoTime() - startNanos);
		try {
			Attempted event = new Attempted(this.registries.facts(definition).name(), definition.name(), null,
					LockOutcome.INVALID, waited, HandOff.NONE, 0);
			this.environment.listeners().get().forEach((listener) -> notify(listener, event));
		}
		catch (RuntimeException ex) {
			logger.warn("The listeners of lock '" + definition.name() + "' could not be found", ex);
		}
	}

	private void notify(LockListener listener, Attempted event) {
		try {
			listener.onAttempted(event);
		}
		catch (RuntimeException ex) {
			logger.warn("The lock listener " + listener + " failed on " + event, ex);
		}
	}

}
