package io.github.distlock.waiting;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.Ticket;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.waiting.KeyQueueContext.KeySettings;
import io.github.distlock.waiting.KeySnapshot.UnfinishedWork;
import org.jspecify.annotations.Nullable;

/**
 * The queues of the keys in use: one for each key that callers share, and one for each
 * caller that has its own ticket, since it is fair or a reader. A key that no caller
 * waits for or holds has no queue. Thread-safe.
 */
final class KeyQueues {

	private static final OwnTickets NO_TICKETS = new OwnTickets();

	private final ConcurrentMap<String, KeyQueue> shared = new ConcurrentHashMap<>();

	/**
	 * The callers with their own tickets, by key. Tickets are added and removed only
	 * inside the atomic operations of the map.
	 */
	private final ConcurrentMap<String, OwnTickets> own = new ConcurrentHashMap<>();

	private final StripedLocks locks;

	private final KeyQueueContext sharedContext = new SharedContext();

	private final AtomicLong ticketNumbers = new AtomicLong();

	private final String instance;

	private final EngineEnvironment environment;

	private final KeySettings settings;

	private final CommandSender sender;

	KeyQueues(String instance, KeySettings settings, EngineEnvironment environment, CommandSender sender) {
		this.instance = instance;
		this.settings = settings;
		this.environment = environment;
		this.locks = new StripedLocks(environment);
		this.sender = sender;
	}

	/** The queue for a caller. It may be removed before the caller has joined it. */
	KeyQueue obtain(WaitRequest request) {
		if (request.hasOwnTicket()) {
			return new OwnTicketContext(request.key()).queue;
		}
		KeyQueue existing = this.shared.get(request.key());
		if (existing != null) {
			return existing;
		}
		KeyQueue created = new KeyQueue(request.key(), this.locks.of(request.key()), this.sharedContext);
		existing = this.shared.putIfAbsent(request.key(), created);
		return (existing != null) ? existing : created;
	}

	/** The queue that knows a ticket, or may know it. */
	@Nullable KeyQueue find(Ticket ticket) {
		OwnTickets tickets = this.own.isEmpty() ? null : this.own.get(ticket.key());
		OwnTicketContext found = (tickets != null) ? tickets.byNumber.get(ticket.number()) : null;
		return (found != null) ? found.queue : this.shared.get(ticket.key());
	}

	/** Run an event of the queue that knows a ticket, if there is one. Does not block. */
	void onEvent(Ticket ticket, Function<KeyQueue, @Nullable Effects> event) {
		KeyQueue queue = find(ticket);
		if (queue != null) {
			this.sender.onEvent(queue, () -> event.apply(queue));
		}
	}

	/** Run an event of each queue. Does not block. */
	void forEach(Function<KeyQueue, Effects> event) {
		all().forEach((queue) -> this.sender.onEvent(queue, () -> event.apply(queue)));
	}

	/** The keys in use, each as it is at the moment it is read. */
	List<KeySnapshot> snapshot() {
		return all().map(KeyQueue::snapshot).toList();
	}

	/**
	 * The unfinished work of the queues that know none of these tickets.
	 */
	UnfinishedWork unfinishedWorkExcept(Collection<Ticket> tickets) {
		Set<@Nullable KeyQueue> excepted = new LinkedHashSet<>();
		tickets.forEach((ticket) -> excepted.add(find(ticket)));
		return all().filter((queue) -> !excepted.contains(queue))
			.map(KeyQueue::unfinished)
			.reduce(UnfinishedWork.NOTHING, UnfinishedWork::and);
	}

	private Stream<KeyQueue> all() {
		return Stream.concat(this.shared.values().stream(),
				this.own.values()
					.stream()
					.flatMap((tickets) -> tickets.byNumber.values().stream())
					.map((each) -> each.queue));
	}

	/** All tickets that wait attempt again, own tickets in the order of arrival. */
	void retryAll() {
		this.shared.values().forEach((queue) -> this.sender.onEvent(queue, () -> queue.retry(null)));
		this.own.values().forEach(this::retryInOrder);
	}

	/**
	 * Repeat what the keys still owe: a command whose outcome was lost, a retry whose
	 * timer was, the release of a holder that has left. The next sweep comes to a key
	 * whose lock is taken.
	 */
	void sweep() {
		all().forEach((queue) -> TaskRunner.logging(() -> {
			if (queue.isFree(0)) {
				this.sender.run(queue, queue.sweep());
			}
		}).run());
	}

	private void retryInOrder(OwnTickets tickets) {
		tickets.waiting()
			.forEach((each) -> this.sender.tasks()
				.onEvent(each.queue.isFree(),
						() -> this.sender.run(each.queue, each.queue.retry(null), true, CommandSender.UNNOTICED)));
	}

	private void failInOrder(OwnTickets tickets, LockBackendException cause) {
		tickets.waiting().forEach((each) -> this.sender.onEvent(each.queue, () -> each.queue.failWaiters(cause)));
	}

	/**
	 * The callers of one key with their own tickets, by the numbers of the tickets: the
	 * oldest first. Of all that wait only the oldest retries at intervals, since it is
	 * the first to be granted the lock. So they share the last failure of the store.
	 */
	private static final class OwnTickets {

		private final Map<Long, OwnTicketContext> byNumber = new ConcurrentSkipListMap<>();

		private volatile @Nullable LockBackendException failure;

		Stream<OwnTicketContext> waiting() {
			return this.byNumber.values().stream().filter((each) -> each.waiting);
		}

	}

	/** The context of the queues that callers share. */
	private class SharedContext implements KeyQueueContext {

		@Override
		public KeySettings settings() {
			return KeyQueues.this.settings;
		}

		@Override
		public Ticket newTicket(String key, LockMode mode) {
			return newTicket(key, mode, false);
		}

		Ticket newTicket(String key, LockMode mode, boolean own) {
			return new Ticket(key, mode, KeyQueues.this.instance, KeyQueues.this.ticketNumbers.incrementAndGet(), own);
		}

		@Override
		public void remove(String key) {
			KeyQueues.this.shared.remove(key);
		}

		@Override
		public boolean scheduleTimer(KeyQueue queue, long delayNanos) {
			CommandSender commands = KeyQueues.this.sender;
			return commands.tasks().schedule(() -> commands.onEvent(queue, queue::timerFired), delayNanos) != null;
		}

	}

	/**
	 * The context of the queue of a caller with its own ticket. The queue has one ticket
	 * in its life. Of all such tickets that wait for the key in this JVM, only the oldest
	 * retries at intervals: it is the first to be granted the lock.
	 */
	private final class OwnTicketContext extends SharedContext {

		private final KeyQueue queue;

		/**
		 * What the tickets of the key share, from the creation of the ticket on. Guarded
		 * by the lock of the queue, as are all calls from it.
		 */
		private OwnTickets tickets = NO_TICKETS;

		private long number;

		/** Whether the ticket waits. Written under the lock of the queue. */
		private volatile boolean waiting = true;

		OwnTicketContext(String key) {
			// A lock of its own avoids contention between the callers of one key.
			this.queue = new KeyQueue(key, KeyQueues.this.environment.newLock(), this);
		}

		@Override
		public Ticket newTicket(String key, LockMode mode) {
			Ticket ticket = newTicket(key, mode, true);
			this.number = ticket.number();
			this.tickets = KeyQueues.this.own.compute(key, (sameKey, others) -> {
				OwnTickets all = (others != null) ? others : new OwnTickets();
				all.byNumber.put(this.number, this);
				return all;
			});
			return ticket;
		}

		@Override
		public boolean retriesForKey() {
			return this.tickets.waiting().findFirst().orElse(this) == this;
		}

		@Override
		public void requeuedAtEnd() {
			// On another thread, since this queue is locked here.
			KeyQueues.this.sender.tasks().schedule(() -> retryInOrder(this.tickets), 0);
		}

		@Override
		public void leftQueue() {
			this.waiting = false;
		}

		@Override
		public void storeFailed(LockBackendException cause, boolean tooLong) {
			this.tickets.failure = cause;
			if (tooLong) {
				KeyQueues.this.sender.tasks().schedule(() -> failInOrder(this.tickets, cause), 0);
			}
		}

		@Override
		public void storeAnswered() {
			if (this.tickets.failure != null) {
				this.tickets.failure = null;
			}
		}

		@Override
		public @Nullable LockBackendException storeFailure() {
			return this.tickets.failure;
		}

		@Override
		public void remove(String key) {
			this.waiting = false;
			KeyQueues.this.own.computeIfPresent(key, (sameKey, all) -> {
				all.byNumber.remove(this.number);
				return all.byNumber.isEmpty() ? null : all;
			});
		}

	}

	/**
	 * The locks of the shared queues: a fixed number, each for many keys. They are held
	 * for moments, and no thread takes a second one meanwhile (see {@link KeyQueue}), so
	 * two keys with the same lock delay each other only for a moment.
	 */
	private static final class StripedLocks {

		/** Many more than threads that run at a time; a power of two. */
		private static final int COUNT = 256;

		/** Spreads hash codes over the upper bits: 2^32 divided by the golden ratio. */
		private static final int HASH_MULTIPLIER = 0x9E3779B9;

		private final Lock[] locks = new Lock[COUNT];

		StripedLocks(EngineEnvironment environment) {
			Arrays.setAll(this.locks, (i) -> environment.newLock());
		}

		Lock of(String key) {
			int hash = key.hashCode() * HASH_MULTIPLIER;
			return this.locks[hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(COUNT))];
		}

	}

}
