package io.github.distlock.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.engine.Effects.Command;
import io.github.distlock.engine.Hold.ReleaseOutcome;
import io.github.distlock.engine.KeyContext.KeySettings;
import io.github.distlock.engine.KeySnapshot.UnfinishedWork;
import io.github.distlock.engine.PendingReleases.PendingRelease;
import io.github.distlock.engine.Waiter.FutureWaiter;
import org.jspecify.annotations.Nullable;

/**
 * The keys in use: one {@link KeyState} for each key that callers share, and one for each
 * caller that has its own ticket, since it is fair or a reader. A key that no caller
 * waits for or holds has none. This is the entry point of the package: callers join and
 * leave here, and the messages of the store arrive here. Thread-safe.
 */
public final class KeyTable {

	/** The release of an unwanted lock is repeated for at least this time. */
	private static final long MINIMUM_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

	private static final CompletableFuture<ReleaseOutcome> HANDED_OFF = CompletableFuture
		.completedFuture(ReleaseOutcome.HANDED_OFF);

	private static final OwnTickets NO_TICKETS = new OwnTickets();

	private final ConcurrentMap<String, KeyState> shared = new ConcurrentHashMap<>();

	/**
	 * The callers with their own tickets, by key. Tickets are added and removed only
	 * inside the atomic operations of the map. Never ask whether it is empty: it counts
	 * an entry after others can see and change it.
	 */
	private final ConcurrentMap<String, OwnTickets> own = new ConcurrentHashMap<>();

	private final StripedLocks locks;

	private final KeyContext sharedContext = new SharedContext();

	private final AtomicLong ticketNumbers = new AtomicLong();

	private final String instance;

	private final KeySettings settings;

	private final CommandSender sender;

	private volatile boolean closed;

	/**
	 * Create a table without keys.
	 * @param store the store
	 * @param description what the store is and can do
	 * @param instance the name of this JVM in each ticket
	 * @param backendTimeout how long the store may fail to answer before waiting ends
	 * @param handOffLimits how long a lock may stay in this JVM
	 * @param environment the clocks, and more of the machine
	 * @param threads send commands that no caller sends if the store blocks, run the code
	 * of the application, and run timers, which only pass work on
	 */
	public KeyTable(LockStore store, BackendDescription description, String instance, Duration backendTimeout,
			HandOffLimits handOffLimits, EngineEnvironment environment, EngineThreads threads) {
		this.instance = instance;
		// A store without a time-out reports its failures itself.
		Duration timeout = description.commandTimeout();
		this.settings = new KeySettings(environment.clock(), environment.random(), handOffLimits, backendTimeout,
				(timeout.isZero() || timeout.compareTo(backendTimeout) > 0) ? backendTimeout : timeout,
				new WaiterCounts(), environment.invariants());
		this.locks = new StripedLocks(environment);
		TaskRunner tasks = new TaskRunner(threads, environment);
		this.sender = new CommandSender(store, description.commandTimeout(), environment, tasks);
		tasks.sweep(this::sweep);
	}

	// Callers that wait

	/**
	 * Add a waiter to its key.
	 * @param waiter the waiter
	 * @param settled {@code null} if the calling thread sends the command that follows,
	 * and waits for the answer. Otherwise this method does not block, and the task runs
	 * when that command has been answered or has failed, at once if there is none
	 * @return the state of its key
	 * @throws LockBackendException if the registry is shutting down
	 */
	public KeyState join(Waiter waiter, @Nullable Runnable settled) {
		while (true) {
			if (this.closed) {
				throw shutDownException(waiter.key());
			}
			KeyState state = obtain(waiter);
			Effects effects = state.join(waiter);
			if (effects != null) {
				try {
					if (this.closed) {
						// close() may have failed the waiters before this one joined.
						this.sender.send(state, state.failWaiters(shutDownException(waiter.key())));
					}
					if (settled != null) {
						this.sender.send(state, effects, waiter.isFair(), settled);
					}
					else {
						this.sender.sendAndAwait(state, effects);
					}
				}
				catch (RuntimeException | Error ex) {
					waitFailed(state, waiter);
					throw ex;
				}
				return state;
			}
		}
	}

	private static LockBackendException shutDownException(String key) {
		return new LockBackendException(
				"Lock '" + key + "' cannot be acquired: the lock registry is shutting down, or has not been started");
	}

	/** The state of a waiter's key. It may be removed before the waiter has joined it. */
	private KeyState obtain(Waiter waiter) {
		String key = waiter.key();
		if (waiter.hasOwnTicket()) {
			return new OwnTicketContext(key).state;
		}
		KeyState existing = this.shared.get(key);
		if (existing != null) {
			return existing;
		}
		KeyState created = new KeyState(key, this.locks.of(key), this.sharedContext);
		existing = this.shared.putIfAbsent(key, created);
		return (existing != null) ? existing : created;
	}

	/**
	 * End a wait. A thread that ends its own wait also cancels its ticket, and returns
	 * when the store has answered, or after one command time-out.
	 * @param state the state of its key
	 * @param waiter the waiter
	 * @param timedOut whether its time has passed; otherwise its caller wants the lock no
	 * longer
	 * @return whether the outcome was not decided before
	 */
	public boolean giveUp(KeyState state, Waiter waiter, boolean timedOut) {
		return giveUp(state, waiter, timedOut, waiter.isAwake());
	}

	private boolean giveUp(KeyState state, Waiter waiter, boolean timedOut, boolean here) {
		Effects effects = state.giveUp(waiter, timedOut);
		if (effects == null) {
			return false;
		}
		if (here && waiter.isDeparting() && effects.command() instanceof Command.Release) {
			this.sender.sendAndAwait(state, effects);
		}
		else {
			this.sender.send(state, effects);
		}
		return true;
	}

	/**
	 * End the wait of a future whose time has passed. Does not block. It completes when
	 * the ticket has left the store, or after one command time-out.
	 * @param state the state of its key
	 * @param waiter the waiter
	 */
	public void timeOut(KeyState state, FutureWaiter waiter) {
		tasks().onEvent(state.isFree(), () -> {
			if (giveUp(state, waiter, true) && waiter.isDeparting()) {
				tasks().schedule(waiter::wake, commandTimeoutNanos());
			}
		});
	}

	/**
	 * A wait has ended with an exception: the caller gets that, and not the lock. Does
	 * not block.
	 * @param state the state of its key
	 * @param waiter the waiter
	 */
	public void waitFailed(KeyState state, Waiter waiter) {
		tasks().onEvent(state.isFree(), () -> {
			giveUp(state, waiter, false, false);
			if (waiter.outcome() instanceof Hold hold) {
				releaseAsync(hold);
			}
		});
	}

	/**
	 * Return how long a caller that gives up waits until its ticket has left the store.
	 * @return one command time-out, in nanoseconds
	 */
	public long commandTimeoutNanos() {
		return this.settings.commandTimeout().toNanos();
	}

	// Holders that leave

	/**
	 * Decide what becomes of a grant when its holder leaves: it passes to the next waiter
	 * of this JVM, or goes back to the store.
	 * @param leftNanos how long the store may keep the lease if it cannot be reached
	 * @param awaited whether to block until the store has answered, after another command
	 * of the key for two command time-outs. If it has not answered then, its release goes
	 * on
	 * @return completes with the outcome
	 */
	CompletableFuture<ReleaseOutcome> release(Hold hold, long leftNanos, boolean awaited) {
		KeyState state = find(hold.ticket);
		Effects effects = (state != null) ? state.tryHandOff(hold) : null;
		if (state != null && effects != null) {
			this.sender.send(state, effects);
			return HANDED_OFF;
		}
		PendingRelease release = new PendingRelease(hold, giveUpNanos(hold, leftNanos));
		if (!awaited) {
			this.sender.background().count(release);
		}
		try {
			effects = (state != null) ? state.release(hold, release) : null;
		}
		finally {
			if (effects == null) {
				release.complete(ReleaseOutcome.GONE);
			}
		}
		if (state != null && effects != null) {
			if (awaited) {
				this.sender.sendAndAwait(state, effects, release, this.settings.commandTimeout());
			}
			else {
				this.sender.send(state, effects);
			}
		}
		return release;
	}

	/**
	 * {@return whether the caller of a release in the background need not wait}
	 */
	boolean mayReleaseInBackground(Hold hold) {
		return this.sender.background().mayRelease(hold, this.closed);
	}

	/**
	 * Until when a release is repeated: until the lease has passed in the store. That may
	 * be longer than what is known of it here, since a renewal without an answer may have
	 * given it its whole length again; and it may be more than the lease of the holder if
	 * an earlier caller, whose attempt was not answered, asked for the same ticket.
	 */
	private long giveUpNanos(Hold hold, long leftNanos) {
		long now = this.settings.clock().nanoTime();
		// Not as the wall clock says: the store has another one.
		long validNanos = hold.validity().remainingNanosAt(now);
		return now + Math.max(leftNanos, Math.max(validNanos, hold.storeLeaseNanos()));
	}

	/**
	 * Return whether the answer of a release in the background is still to come.
	 * @return whether there is one
	 */
	public boolean isAnyUnanswered() {
		return this.sender.background().isAnyUnanswered();
	}

	/**
	 * Release a lock in the background, since its caller does not want it, has lost it,
	 * or it is no longer retained. Has no effect if the holder has left. If an error
	 * interrupts this, the sweep repeats it.
	 * @param hold the lock
	 */
	public void releaseAsync(Hold hold) {
		hold.leave();
		// The store's lease ends a little later than its validity here.
		onEvent(hold.ticket,
				(state) -> state.release(hold, new PendingRelease(hold, giveUpNanos(hold, MINIMUM_RETRY_NANOS))));
	}

	// Messages of the store

	/**
	 * Handle the message that a ticket was granted. Does not block.
	 * @param ticket the ticket
	 * @param grant the grant
	 */
	public void granted(Ticket ticket, Grant grant) {
		KeyState state = find(ticket);
		tasks().onEvent(state == null || state.isFree(), () -> {
			Effects effects = (state != null) ? state.granted(ticket, grant) : null;
			if (state != null && effects != null) {
				this.sender.send(state, effects);
			}
			else {
				// No caller wants it: a late copy of an attempt, or a waiter that has
				// left.
				this.sender.releaseUnknown(ticket, grant.firstToken());
			}
		});
	}

	/**
	 * Attempt again, since another attempt may succeed now. Does not block.
	 * @param ticket the ticket to attempt
	 */
	public void retry(Ticket ticket) {
		onEvent(ticket, (state) -> state.retry(ticket));
	}

	/**
	 * Attempt again with all tickets that wait: signals may have been lost. Own tickets
	 * in the order of arrival. Does not block.
	 */
	public void retryAll() {
		this.shared.values().forEach((state) -> this.sender.onEvent(state, () -> state.retry(null)));
		this.own.values().forEach(this::retryInOrder);
	}

	// Threads, reports and the end

	/**
	 * {@return what passes tasks to the threads of the registry}
	 */
	public TaskRunner tasks() {
		return this.sender.tasks();
	}

	/** Reject all later waiters, and fail those that wait. */
	public void close() {
		this.closed = true;
		all().forEach((state) -> this.sender.onEvent(state, () -> state.failWaiters(shutDownException(state.key()))));
	}

	/**
	 * Return the keys that callers hold or wait for, and those with commands that are not
	 * finished. Each key is read on its own, so the whole is not one moment. Empty if
	 * nothing is left to do.
	 * @return the keys in use, in no particular order
	 */
	public List<KeySnapshot> snapshot() {
		return all().map(KeyState::snapshot).toList();
	}

	/**
	 * Return the work that is not finished, except that of some tickets.
	 * @param tickets tickets that hold a lock without a caller
	 * @return the work that a shutdown would have to wait for
	 */
	public UnfinishedWork unfinishedWorkExcept(Collection<Ticket> tickets) {
		Set<@Nullable KeyState> excepted = new LinkedHashSet<>();
		tickets.forEach((ticket) -> excepted.add(find(ticket)));
		return all().filter((state) -> !excepted.contains(state))
			.map(KeyState::unfinished)
			.reduce(UnfinishedWork.NOTHING, UnfinishedWork::and);
	}

	/** The state that knows a ticket, or may know it. */
	private @Nullable KeyState find(Ticket ticket) {
		if (!ticket.fair()) {
			return this.shared.get(ticket.key());
		}
		OwnTickets tickets = this.own.get(ticket.key());
		OwnTicketContext found = (tickets != null) ? tickets.byNumber.get(ticket.number()) : null;
		return (found != null) ? found.state : null;
	}

	private void onEvent(Ticket ticket, Function<KeyState, @Nullable Effects> event) {
		KeyState state = find(ticket);
		if (state != null) {
			this.sender.onEvent(state, () -> event.apply(state));
		}
	}

	private Stream<KeyState> all() {
		return Stream.concat(this.shared.values().stream(),
				this.own.values()
					.stream()
					.flatMap((tickets) -> tickets.byNumber.values().stream())
					.map((each) -> each.state));
	}

	/**
	 * Repeat what is still to be done for the keys: a command whose outcome was lost, a
	 * retry whose timer was, the release of a holder that has left. The next sweep comes
	 * to a key whose lock is taken.
	 */
	private void sweep() {
		all().forEach((state) -> TaskRunner.logging(() -> {
			if (state.isFree(0)) {
				this.sender.send(state, state.sweep());
			}
		}).run());
		this.sender.background().sweep(this.settings.commandTimeout());
	}

	private void retryInOrder(OwnTickets tickets) {
		tickets.waiting()
			.forEach((each) -> tasks().onEvent(each.state.isFree(),
					() -> this.sender.send(each.state, each.state.retry(null), true, null)));
	}

	private void failInOrder(OwnTickets tickets, LockBackendException cause) {
		tickets.waiting().forEach((each) -> this.sender.onEvent(each.state, () -> each.state.failWaiters(cause)));
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

	/** The context of the states that callers share. */
	private class SharedContext implements KeyContext {

		@Override
		public KeySettings settings() {
			return KeyTable.this.settings;
		}

		@Override
		public Ticket newTicket(String key, Waiter first) {
			return newTicket(key, first.mode(), false, 0);
		}

		Ticket newTicket(String key, LockMode mode, boolean own, int permits) {
			return new Ticket(key, mode, KeyTable.this.instance, KeyTable.this.ticketNumbers.incrementAndGet(), own,
					permits);
		}

		@Override
		public void remove(String key) {
			KeyTable.this.shared.remove(key);
		}

		@Override
		public boolean scheduleTimer(KeyState state, long delayNanos) {
			return tasks().schedule(() -> KeyTable.this.sender.onEvent(state, state::timerFired), delayNanos) != null;
		}

	}

	/**
	 * The context of the state of a caller with its own ticket. The state has one ticket
	 * in its life. Of all such tickets that wait for the key in this JVM, only the oldest
	 * retries at intervals: it is the first to be granted the lock.
	 */
	private final class OwnTicketContext extends SharedContext {

		private final KeyState state;

		/**
		 * What the tickets of the key share, from the creation of the ticket on. Guarded
		 * by the lock of the key state, as are all calls from it.
		 */
		private OwnTickets tickets = NO_TICKETS;

		private long number;

		/** Whether the ticket waits. Written under the lock of the key state. */
		private volatile boolean waiting = true;

		OwnTicketContext(String key) {
			// A lock of its own avoids contention between the callers of one key.
			this.state = new KeyState(key, KeyTable.this.locks.newLock(), this);
		}

		@Override
		public Ticket newTicket(String key, Waiter first) {
			Ticket ticket = newTicket(key, first.mode(), true, first.permits());
			this.number = ticket.number();
			this.tickets = KeyTable.this.own.compute(key, (sameKey, others) -> {
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
			// On another thread, since this state is locked here.
			tasks().schedule(() -> retryInOrder(this.tickets), 0);
		}

		@Override
		public void leftQueue() {
			this.waiting = false;
		}

		@Override
		public void storeFailed(LockBackendException cause, boolean tooLong) {
			this.tickets.failure = cause;
			if (tooLong) {
				tasks().schedule(() -> failInOrder(this.tickets, cause), 0);
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
			KeyTable.this.own.computeIfPresent(key, (sameKey, all) -> {
				all.byNumber.remove(this.number);
				return all.byNumber.isEmpty() ? null : all;
			});
		}

	}

	/**
	 * The locks of the shared states: a fixed number, each for many keys. They are held
	 * for moments, and no thread takes a second one meanwhile (see {@link KeyState}), so
	 * two keys with the same lock delay each other only for a moment.
	 */
	private static final class StripedLocks {

		/** Many more than threads that run at a time; a power of two. */
		private static final int COUNT = 256;

		/** Spreads hash codes over the upper bits: 2^32 divided by the golden ratio. */
		private static final int HASH_MULTIPLIER = 0x9E3779B9;

		private final Lock[] locks = new Lock[COUNT];

		private final EngineEnvironment environment;

		StripedLocks(EngineEnvironment environment) {
			this.environment = environment;
			Arrays.setAll(this.locks, (i) -> environment.newLock());
		}

		Lock newLock() {
			return this.environment.newLock();
		}

		Lock of(String key) {
			int hash = key.hashCode() * HASH_MULTIPLIER;
			return this.locks[hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(COUNT))];
		}

	}

}
