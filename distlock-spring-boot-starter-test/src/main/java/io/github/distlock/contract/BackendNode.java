package io.github.distlock.contract;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * An open store, as one JVM uses it without a registry.
 */
final class BackendNode implements LockSignals {

	static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration POLL = Duration.ofMillis(10);

	/**
	 * Doubled with each try: the first signals may be sent before the subscription is
	 * active.
	 */
	private static final Duration SHORTEST_SIGNAL_TIME = Duration.ofMillis(20);

	private static final Duration LONGEST_SIGNAL_TIME = Duration.ofMillis(500);

	private static final AtomicLong numbers = new AtomicLong();

	final LockBackend backend;

	final LockStore store;

	private final Duration patience;

	private final Duration settling;

	private final Set<Ticket> granted = ConcurrentHashMap.newKeySet();

	private final Set<Ticket> signalled = ConcurrentHashMap.newKeySet();

	private final Map<Ticket, Long> ended = new ConcurrentHashMap<>();

	final LockInstance self = new LockInstance(
			Long.toUnsignedString(UUID.randomUUID().getMostSignificantBits(), Character.MAX_RADIX), "contract", "host",
			4711L);

	private final String instance = this.self.text();

	private BackendNode(LockBackend backend, StoreUnderTest storeUnderTest) {
		this.backend = backend;
		this.store = backend.open(new StoreContext(this.self, this));
		this.patience = storeUnderTest.patience();
		this.settling = storeUnderTest.settling();
	}

	/** Open a store and wait until signals reach it, if it has any. */
	static BackendNode start(LockBackend backend, StoreUnderTest storeUnderTest) {
		BackendNode node = new BackendNode(backend, storeUnderTest);
		if (backend.description().fair()) {
			node.awaitSignals();
		}
		return node;
	}

	private void awaitSignals() {
		String key = "ready-" + this.instance;
		AtomicLong signalTime = new AtomicLong(SHORTEST_SIGNAL_TIME.toNanos());
		await().pollInterval(POLL).atMost(this.patience).until(() -> {
			Ticket holder = ticket(key);
			Ticket waiter = ticket(key);
			attempt(holder);
			attempt(waiter);
			boolean held = Answers.of(this.store.release(holder, 0, null)).released();
			boolean heard = held && hears(waiter,
					signalTime.getAndUpdate((nanos) -> Math.min(nanos * 2, LONGEST_SIGNAL_TIME.toNanos())));
			Answers.of(this.store.cancel(waiter));
			return heard;
		});
	}

	/** A signal takes some time, and a cancelled ticket receives none. */
	private boolean hears(Ticket waiter, long nanos) {
		long end = System.nanoTime() + nanos;
		while (!this.signalled.contains(waiter) && System.nanoTime() - end < 0) {
			LockSupport.parkNanos(POLL.toNanos());
		}
		return this.signalled.contains(waiter);
	}

	Ticket ticket(String key) {
		return ticket(key, LockMode.EXCLUSIVE);
	}

	/** As the registry creates them: readers have tickets of their own. */
	Ticket ticket(String key, LockMode mode) {
		return new Ticket(key, mode, this.instance, numbers.incrementAndGet(), mode == LockMode.READ);
	}

	/** The ticket of a caller with permits. */
	Ticket permit(String key, int permits) {
		return new Ticket(key, LockMode.READ, this.instance, numbers.incrementAndGet(), true, permits);
	}

	/** Return a new ticket after its first attempt. */
	Ticket attempted(String key) {
		return attempted(key, LockMode.EXCLUSIVE);
	}

	/** The same, in another mode. */
	Ticket attempted(String key, LockMode mode) {
		Ticket ticket = ticket(key, mode);
		attempt(ticket);
		return ticket;
	}

	AttemptResult attempt(Ticket ticket) {
		return Answers.of(this.store.attempt(ticket, LEASE, true));
	}

	AttemptResult attemptOnce(Ticket ticket) {
		return Answers.of(this.store.attempt(ticket, LEASE, false));
	}

	Ticket hold(String key) {
		Ticket ticket = ticket(key);
		take(ticket, true);
		return ticket;
	}

	/** Take a lock that is free. */
	Grant take(Ticket ticket, boolean queue) {
		return this.settling.isZero() ? granted(queue ? attempt(ticket) : attemptOnce(ticket))
				: awaitGrant(ticket, this.settling);
	}

	boolean release(Ticket ticket) {
		return Answers.of(this.store.release(ticket, 0, null)).released();
	}

	/** Renew one lease. */
	RenewalResult renew(Ticket ticket, long lastToken, Duration lease) {
		return Answers.of(this.store.renew(List.of(new Renewal(ticket, lastToken, lease)))).get(0);
	}

	boolean wasGranted(Ticket ticket) {
		return this.granted.contains(ticket);
	}

	/** The grant token of the grant of a ticket that an operator has ended. */
	@Nullable Long endedGrant(Ticket ticket) {
		return this.ended.get(ticket);
	}

	/** Wait for any signal to a ticket. */
	void awaitSignal(Ticket ticket) {
		await().pollInterval(POLL).atMost(this.patience).until(() -> this.signalled.contains(ticket));
	}

	/**
	 * Wait as the registry does: for a signal, or until the ticket is attempted again.
	 */
	Grant awaitGrant(Ticket ticket) {
		return awaitGrant(ticket, this.patience);
	}

	private Grant awaitGrant(Ticket ticket, Duration longest) {
		Grant[] grant = new Grant[1];
		await().pollInterval(POLL).atMost(longest).until(() -> {
			if (attempt(ticket) instanceof Grant answer) {
				grant[0] = answer;
			}
			return grant[0] != null;
		});
		return grant[0];
	}

	static Grant granted(@Nullable AttemptResult result) {
		if (result instanceof Grant answer) {
			return answer;
		}
		throw new AssertionError("Not granted: " + result);
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		this.granted.add(ticket);
		this.signalled.add(ticket);
	}

	@Override
	public void retry(Ticket ticket) {
		this.signalled.add(ticket);
	}

	@Override
	public void retryAll() {
	}

	@Override
	public void ended(Ticket ticket, long grantToken) {
		this.ended.put(ticket, grantToken);
	}

	@Override
	public void renewAll() {
	}

	@Override
	public void renewNow(Collection<Ticket> tickets) {
	}

}
