package io.github.distlock.actuate;

import java.time.Duration;

import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySnapshot;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The health of one store: {@code UP} if it answers. If it does not, the message of the
 * failure says what to do. A store whose channel for grants is lost is {@code UP}, since
 * waiting calls ask the store at intervals then.
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
		// First what this JVM knows itself, shown even if the store does not answer.
		RegistrySnapshot snapshot = this.registry.snapshot();
		builder.withDetail("location", this.registry.store().location());
		String channel = this.registry.store().channel();
		if (channel != null) {
			builder.withDetail("inbox", channel);
		}
		builder.withDetail("watchdogLateness", Milliseconds.of(snapshot.renewalLateness()))
			.withDetail("held", snapshot.held().size())
			.withDetail("waiting", snapshot.waiting().size());
		long start = System.nanoTime();
		this.registry.store().ping();
		builder.up().withDetail("roundTrip", Milliseconds.of(Duration.ofNanos(System.nanoTime() - start)));
	}

}
