package io.github.distlock.aop;

import java.time.Duration;
import java.util.function.Supplier;

import io.github.distlock.HandOff;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockListener;
import io.github.distlock.LockListener.Attempted;
import io.github.distlock.LockOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells listeners of calls that are refused before they reach the registry, which tells
 * them of all others.
 */
final class RejectionReporter {

	private static final Log logger = LogFactory.getLog(RejectionReporter.class);

	private final RegistryResolver registries;

	private final LockEnvironment runtime;

	RejectionReporter(RegistryResolver registries, LockEnvironment runtime) {
		this.registries = registries;
		this.runtime = runtime;
	}

	<T> T tell(LockDefinition definition, Supplier<T> step) {
		long start = System.nanoTime();
		try {
			return step.get();
		}
		catch (LockDefinitionException ex) {
			tellListeners(definition, Duration.ofNanos(System.nanoTime() - start));
			throw ex;
		}
	}

	private void tellListeners(LockDefinition definition, Duration waited) {
		try {
			Attempted event = new Attempted(this.registries.facts(definition).name(), definition.name(), null,
					LockOutcome.INVALID, waited, HandOff.NONE, 0);
			this.runtime.listeners().get().forEach((listener) -> tell(listener, event));
		}
		catch (RuntimeException ex) {
			logger.warn("The listeners of lock '" + definition.name() + "' could not be found", ex);
		}
	}

	private void tell(LockListener listener, Attempted event) {
		try {
			listener.onAttempted(event);
		}
		catch (RuntimeException ex) {
			logger.warn("The lock listener " + listener + " failed on " + event, ex);
		}
	}

}
