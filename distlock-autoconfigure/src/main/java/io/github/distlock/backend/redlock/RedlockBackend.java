package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redlock.QuorumNode.NodeEvents;

/**
 * Locks on a majority of independent nodes: they survive the loss of the other nodes,
 * without waiting for them. Not fair: a lock that becomes free goes to the first ticket
 * that gets a majority. Each waiting ticket is signalled by one node, and tries again
 * after random pauses. {@link LockRound} explains why this is safe. Thread-safe.
 */
public final class RedlockBackend implements LockBackend {

	private static final int BATCH_SIZE = 100;

	/** Minimum time for which the first command waits for connections. */
	private static final Duration MIN_CONNECT_TIME = Duration.ofSeconds(1);

	private final Quorum quorum;

	private final RedlockSettings settings;

	private final TimeSource clock;

	private final BackendDescription description;

	/**
	 * Create a backend.
	 * @param nodes an odd number of at least three nodes, independent of each other
	 * @param settings the settings
	 * @param clock the time
	 */
	public RedlockBackend(List<? extends QuorumNode> nodes, RedlockSettings settings, TimeSource clock) {
		this.quorum = new Quorum(nodes, settings);
		this.settings = settings;
		this.clock = clock;
		this.description = new BackendDescription("redlock", Set.of(LockMode.EXCLUSIVE), false, true,
				settings.tokensPerGrant(), settings.nodeTimeout(), BATCH_SIZE);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public void validateKey(String key) {
		LockKeys.validate(key);
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
		RedlockStore store = new RedlockStore(this, this.quorum, this.settings, this.clock, context);
		List<CompletableFuture<Boolean>> connecting = IntStream.range(0, this.quorum.size())
			.mapToObj((i) -> Quorum.ask(this.quorum.node(i), (node) -> start(node, i, store, context)))
			.toList();
		// Otherwise the first command would fail since no node is connected.
		VoteCollector
			.judge(connecting,
					(answers) -> (answers.nodes() - answers.outstanding() >= this.quorum.majority()) ? true : null)
			.completeOnTimeout(false, maxConnectTime().toMillis(), TimeUnit.MILLISECONDS)
			.thenRun(store::connected);
		return store;
	}

	/** Connect, and learn the clock of the node for the first proposal. */
	private CompletionStage<Boolean> start(QuorumNode node, int number, RedlockStore store, StoreContext context) {
		return node.start(context.self(), new StoreEvents(store, node, context.signals())).thenCompose((done) -> {
			long sent = this.clock.nanoTime();
			return node.probe().handle((time, failure) -> {
				if (time != null) {
					store.tokens().observe(number, sent, time.nowMicros());
				}
				return true;
			});
		});
	}

	private Duration maxConnectTime() {
		Duration tries = this.settings.nodeTimeout().multipliedBy(4);
		return (tries.compareTo(MIN_CONNECT_TIME) > 0) ? tries : MIN_CONNECT_TIME;
	}

	/** Passes the messages of a node to the store. */
	private record StoreEvents(RedlockStore store, QuorumNode node, LockSignals signals) implements NodeEvents {

		@Override
		public void woken(Ticket ticket) {
			this.store.woken(this.node, ticket);
		}

		@Override
		public void doubted() {
			this.signals.retryAll();
		}

	}

}
