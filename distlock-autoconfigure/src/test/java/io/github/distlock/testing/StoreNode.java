package io.github.distlock.testing;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;

import static org.assertj.core.api.Assertions.assertThat;

/** The store of one JVM, used without a registry, verb by verb. Records the signals. */
public class StoreNode extends NoSignals implements AutoCloseable {

	/** Of attempts and renewals that name no other. */
	public static final Duration LEASE = Duration.ofSeconds(30);

	private static final AtomicLong numbers = new AtomicLong();

	public final LockInstance self;

	public final LockStore store;

	public final Map<Ticket, Grant> grants = new ConcurrentHashMap<>();

	public final Queue<Ticket> retried = new ConcurrentLinkedQueue<>();

	public final Queue<Ticket> doubted = new ConcurrentLinkedQueue<>();

	/** How often the store has doubted all leases. */
	public final AtomicInteger doubts = new AtomicInteger();

	/** The first tokens of the grants that an operator has ended. */
	public final Map<Ticket, Long> ended = new ConcurrentHashMap<>();

	public StoreNode(LockBackend backend, LockInstance self) {
		this.self = self;
		this.store = backend.open(new StoreContext(self, this));
	}

	public String instance() {
		return this.self.text();
	}

	public StoreInspection inspection() {
		return Objects.requireNonNull(this.store.inspection());
	}

	public Ticket ticket(String key) {
		return ticket(key, LockMode.EXCLUSIVE);
	}

	public Ticket ticket(String key, LockMode mode) {
		return new Ticket(key, mode, instance(), numbers.incrementAndGet(), mode == LockMode.READ);
	}

	public AttemptResult attempt(Ticket ticket) {
		return attempt(ticket, LEASE, true);
	}

	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		return Answers.of(this.store.attempt(ticket, lease, queue));
	}

	public AttemptResult attemptOnce(String key) {
		return attempt(ticket(key), LEASE, false);
	}

	public Grant take(Ticket ticket) {
		return granted(attempt(ticket));
	}

	/** Take a lock at once, with a new ticket. */
	public Ticket hold(String key) {
		Ticket ticket = ticket(key);
		take(ticket);
		return ticket;
	}

	public Ticket queue(String key) {
		Ticket ticket = ticket(key);
		assertThat(attempt(ticket)).isInstanceOf(AttemptResult.Queued.class);
		return ticket;
	}

	public static Grant granted(AttemptResult result) {
		assertThat(result).isInstanceOf(Grant.class);
		return ((Grant) result);
	}

	/** Release a lock. Returns whether it was held. */
	public boolean release(Ticket ticket) {
		return release(ticket, 0);
	}

	public boolean release(Ticket ticket, long lastToken) {
		return Answers.of(this.store.release(ticket, lastToken, null)).released();
	}

	public RenewalResult renew(Ticket ticket, Grant grant) {
		return renew(ticket, grant, LEASE);
	}

	public RenewalResult renew(Ticket ticket, Grant grant, Duration lease) {
		return Answers.of(this.store.renew(List.of(new Renewal(ticket, grant.lastToken(), lease)))).get(0);
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		this.grants.put(ticket, grant);
	}

	@Override
	public void retry(Ticket ticket) {
		this.retried.add(ticket);
	}

	@Override
	public void renewAll() {
		this.doubts.incrementAndGet();
	}

	@Override
	public void renewNow(Collection<Ticket> tickets) {
		this.doubted.addAll(tickets);
	}

	@Override
	public void ended(Ticket ticket, long grantToken) {
		this.ended.put(ticket, grantToken);
	}

	@Override
	public void close() {
		this.store.close();
	}

}
