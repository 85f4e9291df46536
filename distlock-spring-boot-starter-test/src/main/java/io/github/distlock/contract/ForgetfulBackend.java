package io.github.distlock.contract;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * A real store that loses replies or requests when a test asks for it. It also counts
 * commands, since a test must know when a ticket is in the store.
 */
public final class ForgetfulBackend extends ForwardingBackend {

	/** The commands that can be lost. */
	public enum Verb {

		/** An attempt. */
		ATTEMPT,

		/** A release. */
		RELEASE,

		/** A cancellation. */
		CANCEL,

		/** A batch of renewals. */
		RENEW

	}

	private final AtomicIntegerArray lostReplies = new AtomicIntegerArray(Verb.values().length);

	private final AtomicIntegerArray lostRequests = new AtomicIntegerArray(Verb.values().length);

	private final AtomicIntegerArray sent = new AtomicIntegerArray(Verb.values().length);

	private final Set<Ticket> queued = ConcurrentHashMap.newKeySet();

	/** Replies to releases arrive when it is completed. */
	private volatile CompletableFuture<Boolean> releaseReplies = CompletableFuture.completedFuture(true);

	/** Answers all renewals of grants that have a session, {@code null} without one. */
	private volatile @Nullable Supplier<CompletionStage<List<RenewalResult>>> confirmations;

	/** Whether releases are sent by threads that wait for the answer. */
	private volatile boolean unordered;

	private volatile boolean crashed;

	private volatile @Nullable ForgetfulStore open;

	/**
	 * Wrap a store.
	 * @param real the store
	 */
	public ForgetfulBackend(LockBackend real) {
		super(real);
	}

	/**
	 * Lose the next replies: the store executes the commands, but the caller does not
	 * receive the results.
	 * @param verb the verb
	 * @param times the number of losses
	 */
	public void loseReplies(Verb verb, int times) {
		this.lostReplies.set(verb.ordinal(), times);
	}

	/**
	 * Lose the next requests: the store does not receive the commands.
	 * @param verb the verb
	 * @param times the number of losses
	 */
	public void loseRequests(Verb verb, int times) {
		this.lostRequests.set(verb.ordinal(), times);
	}

	/**
	 * Hold the replies to releases back: the store executes the commands.
	 * @return complete it to deliver the replies
	 */
	public CompletableFuture<Boolean> holdReleaseReplies() {
		CompletableFuture<Boolean> replies = new CompletableFuture<>();
		this.releaseReplies = replies;
		return replies;
	}

	/**
	 * Bind all later grants to a session that always says that it is alive, although it
	 * may end.
	 * @param answers answers in place of the store whether it is alive
	 */
	public void bindToSession(Supplier<CompletionStage<List<RenewalResult>>> answers) {
		this.confirmations = answers;
	}

	/** Whether callers send releases in the background, and no thread of the library. */
	boolean callersSendReleases() {
		ForgetfulStore store = this.open;
		return store != null && (store.keepsOrder() || !store.blocks());
	}

	/**
	 * Behave from now on as a store that cannot send a release without a waiting thread.
	 */
	public void keepNoOrder() {
		this.unordered = true;
	}

	/**
	 * End as a killed JVM does: nothing is released, and nothing is sent or received any
	 * more.
	 */
	public void crash() {
		this.crashed = true;
		ForgetfulStore current = this.open;
		if (current != null) {
			current.crash();
		}
	}

	/**
	 * Return how often a verb has been called.
	 * @param verb the verb
	 * @return the count, including lost ones
	 */
	public int calls(Verb verb) {
		return this.sent.get(verb.ordinal());
	}

	/**
	 * Return how many tickets were answered that they wait.
	 * @return the number of different tickets
	 */
	public int queued() {
		return this.queued.size();
	}

	private <T> CompletionStage<T> pass(Verb verb, Supplier<CompletionStage<T>> command) {
		this.sent.incrementAndGet(verb.ordinal());
		if (this.crashed) {
			throw new LockBackendException("The " + verb + " was not sent: this node has crashed");
		}
		if (takeOne(this.lostRequests, verb)) {
			throw new LockBackendException("The " + verb + " was lost on its way to the store");
		}
		CompletionStage<T> reply = command.get();
		boolean lost = takeOne(this.lostReplies, verb);
		return reply.thenApply((answer) -> {
			if (lost || this.crashed) {
				throw new LockBackendException("The reply to the " + verb + " was lost");
			}
			return answer;
		});
	}

	private static boolean takeOne(AtomicIntegerArray left, Verb verb) {
		return left.getAndUpdate(verb.ordinal(), (n) -> Math.max(0, n - 1)) > 0;
	}

	@Override
	public LockStore open(StoreContext context) {
		ForgetfulStore opened = new ForgetfulStore(
				super.open(new StoreContext(context.self(), untilCrash(context.signals()))));
		this.open = opened;
		return opened;
	}

	/** After a crash, no signal reaches the JVM. */
	private LockSignals untilCrash(LockSignals signals) {
		return (LockSignals) Proxy.newProxyInstance(LockSignals.class.getClassLoader(),
				new Class<?>[] { LockSignals.class },
				(proxy, signal, arguments) -> this.crashed ? null : signal.invoke(signals, arguments));
	}

	/** The open store, which the losses are put before. */
	private final class ForgetfulStore extends ForwardingStore {

		ForgetfulStore(LockStore real) {
			super(real);
		}

		@Override
		public void close() {
			if (!ForgetfulBackend.this.crashed) {
				super.close();
			}
		}

		private void crash() {
			super.close();
		}

		@Override
		public boolean blocks() {
			return super.blocks() || ForgetfulBackend.this.unordered;
		}

		@Override
		public boolean keepsOrder() {
			return super.keepsOrder() && !ForgetfulBackend.this.unordered;
		}

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
			return pass(Verb.ATTEMPT, () -> super.attempt(ticket, lease, queue)).thenApply((result) -> {
				note(ticket, result);
				return (result instanceof Grant grant && ForgetfulBackend.this.confirmations != null)
						? new Grant(grant.firstToken(), grant.lastToken(), Validity.session(() -> Long.MAX_VALUE))
						: result;
			});
		}

		@Override
		public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
			CompletionStage<ReleaseResult> reply = pass(Verb.RELEASE, () -> super.release(ticket, lastToken, next))
				.thenCombine(ForgetfulBackend.this.releaseReplies, (result, arrived) -> {
					if (next != null) {
						note(next.ticket(), result.next());
					}
					return result;
				});
			if (ForgetfulBackend.this.unordered) {
				ForgetfulBackend.this.releaseReplies.join();
			}
			return reply;
		}

		/**
		 * A store that could not queue the ticket reports that it has not queued it now.
		 */
		private void note(Ticket ticket, @Nullable AttemptResult result) {
			if (result instanceof AttemptResult.Queued waiting && waiting.queuedNow()) {
				ForgetfulBackend.this.queued.add(ticket);
			}
		}

		@Override
		public CompletionStage<?> cancel(Ticket ticket) {
			return pass(Verb.CANCEL, () -> super.cancel(ticket).thenApply((gone) -> ticket));
		}

		@Override
		public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
			Supplier<CompletionStage<List<RenewalResult>>> answers = ForgetfulBackend.this.confirmations;
			return pass(Verb.RENEW, (answers != null) ? answers : () -> super.renew(renewals));
		}

	}

}
