package io.github.distlock.waiting;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a waiting room: one for each key that callers share, and one for each
 * caller whose ticket is his own, since he is fair or reads. Nothing stays of a key that
 * nobody waits for or holds. Thread-safe.
 */
final class KeyQueues {

	private final ConcurrentMap<String, LockedKeyQueue> shared = new ConcurrentHashMap<>();

	/** The entries of callers with tickets of their own, by the numbers of those. */
	private final ConcurrentMap<Long, LockedKeyQueue> own = new ConcurrentHashMap<>();

	private final TicketOrder lines = new TicketOrder();

	private final KeyQueueLocks locks = new KeyQueueLocks();

	private final KeyQueueContext common = new SharedSurroundings();

	private final AtomicLong ticketNumbers = new AtomicLong();

	private final String instance;

	private final TimeSource clock;

	private final Duration backendTimeout;

	private final HandOffLimits handOffLimits;

	private final CommandSender dispatcher;

	KeyQueues(String instance, Duration backendTimeout, HandOffLimits handOffLimits, TimeSource clock,
			CommandSender dispatcher) {
		this.instance = instance;
		this.backendTimeout = backendTimeout;
		this.handOffLimits = handOffLimits;
		this.clock = clock;
		this.dispatcher = dispatcher;
	}

	/** The entry for a caller; it may be removed before he has joined it. */
	LockedKeyQueue obtain(WaitRequest request) {
		if (request.hasOwnTicket()) {
			return new OwnSurroundings(request.key()).entry;
		}
		LockedKeyQueue known = this.shared.get(request.key());
		return (known != null) ? known : this.shared.computeIfAbsent(request.key(),
				(key) -> new LockedKeyQueue(key, this.locks.of(key), this.common));
	}

	/** The entry that knows a ticket, or may know it. */
	@Nullable LockedKeyQueue find(Ticket ticket) {
		LockedKeyQueue entry = this.own.isEmpty() ? null : this.own.get(ticket.number());
		return (entry != null) ? entry : this.shared.get(ticket.key());
	}

	void forEach(Consumer<LockedKeyQueue> action) {
		this.shared.values().forEach(action);
		this.own.values().forEach(action);
	}

	/** The keys in use, each as it is at the moment it is read. */
	List<KeySnapshot> snapshot() {
		return Stream.concat(this.shared.values().stream(), this.own.values().stream())
			.map(LockedKeyQueue::snapshot)
			.toList();
	}

	boolean isEmpty() {
		return this.shared.isEmpty() && this.own.isEmpty();
	}

	/**
	 * What is not finished in entries other than those that know one of these tickets.
	 */
	UnfinishedWork unfinishedWorkExcept(Collection<Ticket> left) {
		Set<@Nullable LockedKeyQueue> known = new HashSet<>();
		left.forEach((ticket) -> known.add(find(ticket)));
		return Stream.concat(this.shared.values().stream(), this.own.values().stream())
			.filter((entry) -> !known.contains(entry))
			.map(LockedKeyQueue::unfinished)
			.reduce(UnfinishedWork.NOTHING, UnfinishedWork::and);
	}

	/** All that wait attempt again, those of a line in the order of their arrival. */
	void lookAgain() {
		this.shared.values().forEach((entry) -> this.dispatcher.follow(entry, entry.look(null)));
		this.lines.keys().forEach(this::lookInLine);
	}

	private void lookInLine(String key) {
		inLine(key, (waiting) -> this.dispatcher.followInOrder(waiting, waiting.look(null)));
	}

	private void failLine(String key, LockBackendException cause) {
		inLine(key, (waiting) -> this.dispatcher.follow(waiting, waiting.failWaiters(cause)));
	}

	private void inLine(String key, Consumer<LockedKeyQueue> action) {
		for (Long number : this.lines.of(key)) {
			LockedKeyQueue waiting = this.own.get(number);
			if (waiting != null) {
				action.accept(waiting);
			}
		}
	}

	/** What the entries that callers share need. */
	private class SharedSurroundings implements KeyQueueContext {

		@Override
		public TimeSource clock() {
			return KeyQueues.this.clock;
		}

		@Override
		public Duration patience() {
			return KeyQueues.this.backendTimeout;
		}

		@Override
		public HandOffLimits handOff() {
			return KeyQueues.this.handOffLimits;
		}

		@Override
		public Ticket newTicket(String key, LockMode mode) {
			return newTicket(key, mode, false);
		}

		Ticket newTicket(String key, LockMode mode, boolean own) {
			return new Ticket(key, mode, KeyQueues.this.instance, KeyQueues.this.ticketNumbers.incrementAndGet(), own);
		}

		@Override
		public boolean isLookout() {
			return true;
		}

		@Override
		public void lostPlace() {
		}

		@Override
		public void waitsNoMore() {
		}

		@Override
		public void storeFailed(LockBackendException cause, boolean tooLong) {
		}

		@Override
		public void storeAnswered() {
		}

		@Override
		public @Nullable LockBackendException storeFailure() {
			return null;
		}

		@Override
		public void remove(String key) {
			KeyQueues.this.shared.remove(key);
		}

		@Override
		public @Nullable LockBackendException ringLater(CommandTarget entry, long delayNanos) {
			return KeyQueues.this.dispatcher.ringLater(entry, delayNanos);
		}

	}

	/**
	 * What the entry of a caller with a ticket of his own needs. It has one in its life,
	 * and of all that wait for the key in this JVM only the oldest looks again by itself:
	 * it is the first to be granted the lock.
	 */
	private final class OwnSurroundings extends SharedSurroundings {

		private final String key;

		private final LockedKeyQueue entry;

		/** Guarded by the lock of the entry, as all calls from it are. */
		private long number;

		OwnSurroundings(String key) {
			this.key = key;
			// Under the lock of their key all its callers would meet.
			this.entry = new LockedKeyQueue(key, new ReentrantLock(), this);
		}

		@Override
		public Ticket newTicket(String key, LockMode mode) {
			Ticket ticket = newTicket(key, mode, true);
			this.number = ticket.number();
			KeyQueues.this.own.put(this.number, this.entry);
			KeyQueues.this.lines.join(key, this.number);
			return ticket;
		}

		@Override
		public boolean isLookout() {
			return KeyQueues.this.lines.isOldest(this.key, this.number);
		}

		@Override
		public void lostPlace() {
			// Not under the lock of this entry: the others have one each.
			KeyQueues.this.dispatcher.tasks().laterSurely(() -> lookInLine(this.key), 0);
		}

		@Override
		public void waitsNoMore() {
			KeyQueues.this.lines.leave(this.key, this.number);
		}

		@Override
		public void storeFailed(LockBackendException cause, boolean tooLong) {
			KeyQueues.this.lines.tell(this.key, cause);
			if (tooLong) {
				KeyQueues.this.dispatcher.tasks().laterSurely(() -> failLine(this.key, cause), 0);
			}
		}

		@Override
		public void storeAnswered() {
			KeyQueues.this.lines.tell(this.key, null);
		}

		@Override
		public @Nullable LockBackendException storeFailure() {
			return KeyQueues.this.lines.failure(this.key);
		}

		@Override
		public void remove(String key) {
			waitsNoMore();
			KeyQueues.this.own.remove(this.number);
		}

	}

}
