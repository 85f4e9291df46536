package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/**
 * The store with a client of its own, as a JVM has it: when it stops the session ends.
 */
final class OwningBackend implements LockBackend {

	private final CuratorFramework client;

	private final ZooKeeperLockBackend backend;

	OwningBackend(CuratorFramework client, ZooKeeperBackendSettings settings, TimeSource clock) {
		this.client = client;
		this.backend = new ZooKeeperLockBackend(client, settings, clock);
	}

	@Override
	public void start(String instance, LockSignals signals) {
		this.client.start();
		this.backend.start(instance, signals);
	}

	@Override
	public void stop() {
		this.backend.stop();
		this.client.close();
	}

	@Override
	public BackendDescription description() {
		return this.backend.description();
	}

	@Override
	public void validateKey(String key) {
		this.backend.validateKey(key);
	}

	@Override
	public void verify() {
		this.backend.verify();
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		return this.backend.attempt(ticket, lease, queue);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		return this.backend.release(ticket, lastToken, next);
	}

	@Override
	public void cancel(Ticket ticket) {
		this.backend.cancel(ticket);
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		return this.backend.renew(renewals);
	}

}
