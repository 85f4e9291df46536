package io.github.distlock.waiting;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.contract.ForwardingBackend;
import org.jspecify.annotations.Nullable;

/**
 * Lets a real store of this JVM keep locks, as a server does that several JVMs share: it
 * marks the grants of free locks, and passes requests and refusals on.
 */
final class KeepingBackend extends ForwardingBackend {

	private final Executor messages;

	/** Orders the commands of all instances. */
	private final Lock lock = new ReentrantLock();

	/** Guarded by the lock. */
	private final Map<String, Marked> marked = new HashMap<>();

	private final Map<String, LockSignals> instances = new ConcurrentHashMap<>();

	final AtomicInteger commands = new AtomicInteger();

	/** Whether requests for a lock are lost. */
	volatile boolean losesRequests;

	/** The keys whose releases are not answered begin with this. */
	private volatile String silent = "";

	/** Completed when all releases are answered. */
	private volatile CompletableFuture<Void> answers = CompletableFuture.completedFuture(null);

	/**
	 * Create a backend.
	 * @param messages delivers the messages
	 */
	KeepingBackend(LockBackend real, Executor messages) {
		super(real);
		this.messages = messages;
	}

	/**
	 * Execute releases, and do not answer them.
	 * @param keys what the keys of such releases begin with
	 */
	void holdAnswersBack(String keys) {
		this.silent = keys;
		this.answers = new CompletableFuture<>();
	}

	private CompletableFuture<Void> answer(Ticket ticket) {
		return ticket.key().startsWith(this.silent) ? this.answers : CompletableFuture.completedFuture(null);
	}

	/** Answer all releases, and later ones at once. */
	void answer() {
		this.answers.complete(null);
	}

	@Override
	public LockStore open(StoreContext context) {
		this.instances.put(context.instance(), context.signals());
		return new KeepingStore(super.open(context));
	}

	private record Marked(Ticket ticket, long firstToken) {
	}

	private final class KeepingStore extends ForwardingStore {

		KeepingStore(LockStore real) {
			super(real);
		}

		@Override
		public boolean blocks() {
			return true;
		}

		@Override
		public boolean keepsOrder() {
			return true;
		}

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, AttemptOptions options) {
			return CompletableFuture.completedFuture(execute(ticket, lease, options));
		}

		private AttemptResult execute(Ticket ticket, Duration lease, AttemptOptions options) {
			KeepingBackend.this.commands.incrementAndGet();
			KeepingBackend.this.lock.lock();
			try {
				AttemptResult result = Answers.of(super.attempt(ticket, lease, AttemptOptions.queue(options.queue())));
				Map<String, Marked> all = KeepingBackend.this.marked;
				if (result instanceof AttemptResult.Granted granted && options.keepable()) {
					all.put(ticket.key(), new Marked(ticket, granted.grant().firstToken()));
					return new AttemptResult.Granted(granted.grant(), true);
				}
				Marked owner = all.get(ticket.key());
				if (owner != null && result instanceof AttemptResult.Busy busy) {
					return new AttemptResult.Busy(busy.remaining(), busy.holder(), true);
				}
				if (owner != null && result instanceof AttemptResult.Queued waiting) {
					ask(owner, options.answerWanted() ? ticket : null);
					return new AttemptResult.Queued(waiting.retryAfter(), waiting.queuedNow(), waiting.holder(), true);
				}
				return result;
			}
			finally {
				KeepingBackend.this.lock.unlock();
			}
		}

		private void ask(Marked owner, @Nullable Ticket requester) {
			LockSignals keeper = KeepingBackend.this.instances.get(owner.ticket().instance());
			if (keeper != null && !KeepingBackend.this.losesRequests) {
				KeepingBackend.this.messages.execute(() -> keeper.asked(owner.ticket(), owner.firstToken(), requester));
			}
		}

		@Override
		public void refuse(Ticket requester) {
			LockSignals signals = KeepingBackend.this.instances.get(requester.instance());
			if (signals != null) {
				KeepingBackend.this.messages.execute(() -> signals.refused(requester));
			}
		}

		@Override
		public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
			KeepingBackend.this.commands.incrementAndGet();
			KeepingBackend.this.lock.lock();
			try {
				unmark(ticket);
				return super.release(ticket, lastToken, next).thenCombine(answer(ticket), (result, nothing) -> result);
			}
			finally {
				KeepingBackend.this.lock.unlock();
			}
		}

		@Override
		public CompletionStage<?> cancel(Ticket ticket) {
			KeepingBackend.this.commands.incrementAndGet();
			KeepingBackend.this.lock.lock();
			try {
				unmark(ticket);
				return super.cancel(ticket);
			}
			finally {
				KeepingBackend.this.lock.unlock();
			}
		}

		private void unmark(Ticket ticket) {
			KeepingBackend.this.marked.computeIfPresent(ticket.key(),
					(key, owner) -> owner.ticket().equals(ticket) ? null : owner);
		}

	}

}
