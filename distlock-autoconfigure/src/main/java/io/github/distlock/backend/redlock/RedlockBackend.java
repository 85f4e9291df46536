package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.QuorumNode;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Locks on a majority of independent nodes: survives the loss of the others, without
 * waiting for them. Not fair: a lock that becomes free goes to whoever gets a majority
 * first; those who wait are told by one node, and try again after random pauses. See
 * {@link LockRound} for what makes it safe. Thread-safe.
 */
public final class RedlockBackend implements LockBackend {

	private static final int BATCH_SIZE = 100;

	/** How long the first command waits for connections, at the least. */
	private static final Duration SHORTEST_START = Duration.ofSeconds(1);

	private final Quorum quorum;

	private final RedlockSettings settings;

	private final TimeSource clock;

	private final BackendDescription description;

	private volatile @Nullable RedlockStore operation;

	/**
	 * Create the store. Sends nothing yet.
	 * @param nodes independent of each other, an odd number of at least three
	 * @param settings how to work
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
	public void start(String instance, LockSignals signals) {
		RedlockStore started = new RedlockStore(this.quorum, this.settings, this.clock, signals);
		this.operation = started;
		List<CompletableFuture<Boolean>> connecting = this.quorum
			.ask((node) -> node.start(instance, (ticket) -> started.woken(node, ticket), signals::lookAgainAll)
				.thenApply((done) -> true));
		// Whoever comes first would otherwise hear that nothing is connected.
		VoteCollector
			.judge(connecting,
					(answers) -> (answers.nodes() - answers.outstanding() >= this.quorum.majority()) ? true : null)
			.completeOnTimeout(false, longestStart().toMillis(), TimeUnit.MILLISECONDS)
			.thenRun(started::connected);
	}

	private Duration longestStart() {
		Duration tries = this.settings.nodeTimeout().multipliedBy(4);
		return (tries.compareTo(SHORTEST_START) > 0) ? tries : SHORTEST_START;
	}

	@Override
	public void stop() {
		RedlockStore current = this.operation;
		this.operation = null;
		if (current != null) {
			current.stop();
			this.quorum.nodes().forEach(QuorumNode::stop);
		}
	}

	@Override
	public void verify() {
		Duration oldEnough = this.settings.longestLease();
		required();
		this.quorum.await(VoteCollector.judge(this.quorum.ask(QuorumNode::probe), (answers) -> {
			if (answers.count((uptime) -> uptime.compareTo(oldEnough) >= 0) >= this.quorum.majority()) {
				return true;
			}
			if (answers.outstanding() == 0) {
				throw this.quorum.failure("test of the store", null, answers,
						(uptime) -> (uptime.compareTo(oldEnough) < 0) ? "does not count before it has been up for "
								+ oldEnough + " (distlock.redlock.longest-lease), up for " + uptime : "");
			}
			return null;
		}));
	}

	@Override
	public void validateLease(String key, Duration lease) {
		if (lease.compareTo(this.settings.longestLease()) > 0) {
			throw new LockDefinitionException("Lock '" + key + "' is asked for with a lease of " + lease
					+ " (hand-off included), and distlock.redlock.longest-lease is " + this.settings.longestLease()
					+ ": a node that has forgotten the lock in a restart would count again too soon. Use a shorter"
					+ " leaseTime, or raise the property in all applications that share the locks");
		}
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		validateLease(ticket.key(), lease);
		return required().attempt(ticket, lease, queue);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		RedlockStore current = required();
		if (!current.release(ticket, lastToken)) {
			return new ReleaseResult(false, null);
		}
		return new ReleaseResult(true, (next != null) ? successor(current, next) : null);
	}

	/** The release is done, and must not fail because of what comes next. */
	private @Nullable AttemptResult successor(RedlockStore current, Successor next) {
		try {
			return current.attempt(next.ticket(), next.lease(), true);
		}
		catch (LockBackendException ex) {
			return new AttemptResult.Waiting(RedlockTicket.retry(0), false);
		}
	}

	@Override
	public void cancel(Ticket ticket) {
		required().cancel(ticket);
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		return required().renew(renewals);
	}

	private RedlockStore required() {
		RedlockStore current = this.operation;
		if (current == null) {
			throw new LockBackendException("The Redlock lock store is not running: it works from the start of the"
					+ " application context until its shutdown");
		}
		current.awaitConnected();
		return current;
	}

}
