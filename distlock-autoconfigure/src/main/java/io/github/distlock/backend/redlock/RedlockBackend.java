package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;

/**
 * Locks on a majority of independent nodes: they survive the loss of the other nodes,
 * without waiting for them. Not fair: a lock that becomes free goes to the first ticket
 * that gets a majority. Each waiting ticket is signalled by one node, and tries again
 * after random pauses. {@link LockRound} explains why this is safe. Thread-safe.
 */
public final class RedlockBackend implements LockBackend {

	private static final int BATCH_SIZE = 100;

	private final List<QuorumNode> nodes;

	private final RedlockSettings settings;

	private final TimeSource clock;

	/**
	 * Create a backend.
	 * @param nodes an odd number of at least three nodes, independent of each other
	 * @param settings the settings
	 * @param clock the time
	 */
	public RedlockBackend(List<? extends QuorumNode> nodes, RedlockSettings settings, TimeSource clock) {
		this.nodes = List.copyOf(nodes);
		this.settings = settings;
		this.clock = clock;
	}

	@Override
	public BackendDescription description() {
		return new BackendDescription("redlock", Set.of(LockMode.EXCLUSIVE), false, true,
				this.settings.tokensPerGrant(), this.settings.nodeTimeout(), BATCH_SIZE);
	}

	@Override
	public void validateLease(String key, Duration lease) {
		if (lease.compareTo(this.settings.longestLease()) > 0) {
			throw new LockDefinitionException("Lock '" + key + "' is requested with a lease of " + lease
					+ " (hand-off included), and distlock.redlock.longest-lease is " + this.settings.longestLease()
					+ ": a node that lost the lock in a restart would count again too soon. Use a shorter"
					+ " leaseTime, or raise the property in all applications that share the locks");
		}
	}

	@Override
	public LockStore open(StoreContext context) {
		RedlockStore store = new RedlockStore(this, new Quorum(this.nodes, this.settings, this.clock, context.random()),
				context.signals());
		store.start(context.self());
		return store;
	}

}
