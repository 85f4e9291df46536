package io.github.distlock.actuate;

import java.time.Duration;

import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySnapshot;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The health of one store: UP if it answers. If it does not, the message of the failure
 * says what to do. A lost channel is UP, since waiting callers ask the store at intervals
 * then.
 */
public final class DistlockHealthIndicator extends AbstractHealthIndicator {

	private final BackendLockRegistry registry;

	/**
	 * Create the indicator.
	 * @param registry the registry over the store
	 */
	public DistlockHealthIndicator(BackendLockRegistry registry) {
		super("The lock store does not answer");
		this.registry = registry;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		StoreAdministration store = this.registry.administration();
		builder.withDetail("location", store.location());
		describe(builder, store);
		long start = System.nanoTime();
		store.ping();
		builder.up().withDetail("roundTrip", Duration.ofNanos(System.nanoTime() - start));
	}

	/** What this JVM knows itself, shown even if the store does not answer. */
	private void describe(Health.Builder builder, StoreAdministration store) {
		RegistrySnapshot snapshot = this.registry.snapshot();
		String channel = store.channel();
		if (channel != null) {
			builder.withDetail("inbox", channel);
		}
		builder.withDetail("watchdogLateness", snapshot.renewalLateness())
			.withDetail("held", snapshot.held().size())
			.withDetail("waiting", snapshot.waiting().size());
	}

}
