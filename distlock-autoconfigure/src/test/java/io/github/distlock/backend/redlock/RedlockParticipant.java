package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redlock.QuorumNode.NodeVerb;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.NoSignals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The store as one JVM uses it, verb by verb.
 */
final class RedlockParticipant extends NoSignals implements AutoCloseable {

	static final Duration LEASE = Duration.ofSeconds(3);

	static final Duration TIMEOUT = Duration.ofSeconds(1);

	static final int TOKENS = 17;

	private static final AtomicLong numbers = new AtomicLong();

	final LockStore store;

	final Queue<Ticket> woken = new ConcurrentLinkedQueue<>();

	final LockInstance self = new LockInstance(UUID.randomUUID().toString(), "shop", "host-a", 4711L);

	final String instance = this.self.text();

	/** With this lease as the longest. Each node is connected when it returns. */
	RedlockParticipant(List<? extends QuorumNode> nodes, Duration longestLease) {
		this.store = new RedlockBackend(nodes, new RedlockSettings("distlock:", TIMEOUT, longestLease, TOKENS),
				TimeSource.SYSTEM)
			.open(new StoreContext(this.self, this));
		await().ignoreExceptions().until(() -> {
			this.store.verify();
			for (QuorumNode node : nodes) {
				node.run(NodeVerb.PROBE, List.of()).toCompletableFuture().get();
			}
			return true;
		});
	}

	StoreInspection inspection() {
		return Objects.requireNonNull(this.store.inspection());
	}

	Ticket ticket(String key) {
		return new Ticket(key, LockMode.EXCLUSIVE, this.instance, numbers.incrementAndGet(), false);
	}

	AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		return Answers.of(this.store.attempt(ticket, lease, AttemptOptions.queue(queue)));
	}

	/** Release a lock; whether it was held. */
	boolean release(Ticket ticket, long lastToken) {
		return Answers.of(this.store.release(ticket, lastToken, null)).released();
	}

	RenewalResult renew(Ticket ticket, Grant grant, Duration lease) {
		return Answers.of(this.store.renew(List.of(new Renewal(ticket, grant.lastToken(), lease, false)))).get(0);
	}

	/** Take a lock at once. */
	Grant take(Ticket ticket, Duration lease) {
		AttemptResult result = attempt(ticket, lease, false);
		assertThat(result).isInstanceOf(AttemptResult.Granted.class);
		return ((AttemptResult.Granted) result).grant();
	}

	/** Whether it could take a lock now. */
	boolean takes(Ticket ticket, Duration lease) {
		return attempt(ticket, lease, false) instanceof AttemptResult.Granted;
	}

	/** Acquire a lock and release it. */
	long tokenOf(String key) {
		Ticket ticket = ticket(key);
		long token = take(ticket, LEASE).firstToken();
		assertThat(release(ticket, token)).isTrue();
		return token;
	}

	@Override
	public void close() {
		this.store.close();
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		throw new AssertionError("One node alone grants nothing");
	}

	@Override
	public void retry(Ticket ticket) {
		this.woken.add(ticket);
	}

}
