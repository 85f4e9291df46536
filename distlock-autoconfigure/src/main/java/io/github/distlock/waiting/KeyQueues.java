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
 * The queues of a waiting room: one for each key that callers share, and one for each
 * caller whose ticket is his own, since he is fair or reads. Nothing stays of a key that
 * nobody waits for or holds. Thread-safe.
 */
final class KeyQueues {

	private final ConcurrentMap<String, LockedKeyQueue> shared = new ConcurrentHashMap<>();

	/** The queues of callers with tickets of their own, by the numbers of those. */
	private final ConcurrentMap<Long, LockedKeyQueue> own = new ConcurrentHashMap<>();

	private final TicketOrder lines = new TicketOrder();

	private final KeyQueueLocks locks = new KeyQueueLocks();

	private final KeyQueueContext common = new SharedSurroundings();

	private final AtomicLong ticketNumbers = new AtomicLong();

	private final String instance;

	private final TimeSource clock;

	private final Duration backendTimeout;

	private final HandOffLimits handOffLimits;

	private final CommandSender sender;

	KeyQueues(String instance, Duration backendTimeout, HandOffLimits handOffLimits, TimeSource clock,
			CommandSender sender) {
		this.instance = instance;
		this.backendTimeout = backendTimeout;
		this.handOffLimits = handOffLimits;
		this.clock = clock;
		this.sender = sender;
	}

	/** The queue for a caller; it may be removed before he has joined it. */
	LockedKeyQueue obtain(WaitRequest request) {
		if (request.hasOwnTicket()) {
			return new OwnSurroundings(request.key()).queue;
		}
		LockedKeyQueue known = this.shared.get(request.key());
		return (known != null) ? known : this.shared.computeIfAbsent(request.key(),
				(key) -> new LockedKeyQueue(key, this.locks.of(key), this.common));
	}

	/** The queue that knows a ticket, or may know it. */
	@Nullable LockedKeyQueue find(Ticket ticket) {
		LockedKeyQueue queue = this.own.isEmpty() ? null : this.own.get(ticket.number());
		return (queue != null) ? queue : this.shared.get(ticket.key());
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
	 * What is not finished in queues other than those that know one of these tickets.
	 */
	UnfinishedWork unfinishedWorkExcept(Collection<Ticket> left) {
		Set<@Nullable LockedKeyQueue> known = new HashSet<>();
		left.forEach((ticket) -> known.add(find(ticket)));
		return Stream.concat(this.shared.values().stream(), this.own.values().stream())
			.filter((queue) -> !known.contains(queue))
			.map(LockedKeyQueue::unfinished)
			.reduce(UnfinishedWork.NOTHING, UnfinishedWork::and);
	}

	/** All that wait attempt again, those of a line in the order of their arrival. */
	void lookAgain() {
		this.shared.values().forEach((queue) -> this.sender.runAsync(queue, queue.retry(null)));
		this.lines.keys().forEach(this::lookInLine);
	}

	private void lookInLine(String key) {
		inLine(key, (waiting) -> this.sender.runAsyncInOrder(waiting, waiting.retry(null)));
	}

	private void failLine(String key, LockBackendException cause) {
		inLine(key, (waiting) -> this.sender.runAsync(waiting, waiting.failWaiters(cause)));
	}

	private void inLine(String key, Consumer<LockedKeyQueue> action) {
		for (Long number : this.lines.of(key)) {
			LockedKeyQueue waiting = this.own.get(number);
			if (waiting != null) {
				action.accept(waiting);
			}
		}
	}

	/** What the queues that callers share need. */
	private class SharedSurroundings implements KeyQueueContext {

		@Override
		public TimeSource clock() {
			return KeyQueues.this.clock;
		}

		@Override
		public Duration backendTimeout() {
			return KeyQueues.this.backendTimeout;
		}

		@Override
		public HandOffLimits handOffLimits() {
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
		public boolean retriesForKey() {
			return true;
		}

		@Override
		public void requeuedAtEnd() {
		}

		@Override
		public void leftQueue() {
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
		public @Nullable LockBackendException scheduleTimer(CommandTarget queue, long delayNanos) {
			return KeyQueues.this.sender.scheduleTimer(queue, delayNanos);
		}

	}

	/**
	 * What the queue of a caller with a ticket of his own needs. It has one in its life,
	 * and of all that wait for the key in this JVM only the oldest looks again by itself:
	 * it is the first to be granted the lock.
	 */
	private final class OwnSurroundings extends SharedSurroundings {

		private final String key;

		private final LockedKeyQueue queue;

		/** Guarded by the lock of the queue, as all calls from it are. */
		private long number;

		OwnSurroundings(String key) {
			this.key = key;
			// Under the lock of their key all its callers would meet.
			this.queue = new LockedKeyQueue(key, new ReentrantLock(), this);
		}

		@Override
		public Ticket newTicket(String key, LockMode mode) {
			Ticket ticket = newTicket(key, mode, true);
			this.number = ticket.number();
			KeyQueues.this.own.put(this.number, this.queue);
			KeyQueues.this.lines.join(key, this.number);
			return ticket;
		}

		@Override
		public boolean retriesForKey() {
			return KeyQueues.this.lines.isOldest(this.key, this.number);
		}

		@Override
		public void requeuedAtEnd() {
			// Not under the lock of this queue: the others have one each.
			KeyQueues.this.sender.tasks().laterSurely(() -> lookInLine(this.key), 0);
		}

		@Override
		public void leftQueue() {
			KeyQueues.this.lines.leave(this.key, this.number);
		}

		@Override
		public void storeFailed(LockBackendException cause, boolean tooLong) {
			KeyQueues.this.lines.tell(this.key, cause);
			if (tooLong) {
				KeyQueues.this.sender.tasks().laterSurely(() -> failLine(this.key, cause), 0);
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
			leftQueue();
			KeyQueues.this.own.remove(this.number);
		}

	}

}
