package io.github.distlock.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.simulation.ServerAnswer.Word;
import io.github.distlock.simulation.SimulatedServer.RefusedCommand;
import org.jspecify.annotations.Nullable;

/**
 * The client side of the simulated server: it sends one command for each verb, and does
 * not repeat it. For most seeds no verb waits for its answer, as in
 * {@code RedisLockStore}; for some the order of commands is not kept, as in a cluster;
 * for others each verb waits.
 */
record SimulatedStore(World world, SimulatedJvm jvm, RandomGenerator random,
		SimulatedInbox inbox) implements LockStore, StoreInspection {

	private static final long MAX_GRACE_MILLIS = 5000;

	private static final double SAFETY_SHARE = 0.4;

	private static final double SAFETY_JITTER = 0.1;

	private static final long MIN_RETRY_MILLIS = 20;

	private static final long UNQUEUED_RETRY_MILLIS = 200;

	/** Locks in the simulated server, for one simulated JVM. */
	static LockBackend backend(World world, SimulatedJvm jvm) {
		BackendDescription description = new BackendDescription("simulated", EnumSet.allOf(LockMode.class), true, true,
				ServerScript.COUNT, world.plan.commandTimeout(), 100, true);
		return new LockBackend() {

			@Override
			public BackendDescription description() {
				return description;
			}

			@Override
			public LockStore open(StoreContext context) {
				return new SimulatedStore(world, jvm, context.random(),
						new SimulatedInbox(world, jvm, context.instance(), context.signals()));
			}

		};
	}

	/** Send a command and wait; a fault may throw an error before or after it. */
	private <T> T call(String text, Function<SimulatedServer, T> command) {
		boolean after = throwsError(text);
		T answer;
		try {
			answer = this.world.network.call(this.inbox.link, text, command);
		}
		catch (LockBackendException ex) {
			failed(ex);
			throw ex;
		}
		if (after) {
			throw new SimulatedError("Thrown by a fault: " + text);
		}
		return answer;
	}

	/**
	 * Send a command; if it does not wait, its stage completes on the driver's thread.
	 */
	private <T> CompletionStage<T> sendOrCall(String text, Function<SimulatedServer, T> command) {
		if (blocks()) {
			return CompletableFuture.completedFuture(call(text, command));
		}
		boolean after = throwsError(text);
		CompletionStage<T> sent = this.world.network.send(this.inbox.link, text, command);
		if (after) {
			throw new SimulatedError("Thrown by a fault: " + text);
		}
		return sent.whenComplete((answer, failure) -> {
			if (failure != null) {
				failed(failure);
			}
		});
	}

	/** An answer, even an error, says nothing about the connection. */
	private void failed(Throwable failure) {
		if (!isRefusal(failure)) {
			this.inbox.failed();
		}
	}

	private static boolean isRefusal(Throwable failure) {
		return StoreCalls.unwrap(failure) instanceof RefusedCommand;
	}

	/** The answer for one of these tickets may throw an error. */
	private void mayThrow(Stream<Ticket> tickets) {
		tickets.filter((ticket) -> this.world.network.server.isPoisoned(ticket.key(), true)).forEach((ticket) -> {
			throw new SimulatedError("Thrown by an answer for " + ticket.key());
		});
	}

	/** Answers whether an error is to be thrown after the command. */
	private boolean throwsError(String text) {
		if (this.jvm.errors == 0) {
			return false;
		}
		this.jvm.errors--;
		this.jvm.stalled();
		if (this.world.networkRandom.nextBoolean()) {
			throw new SimulatedError("Thrown by a fault: " + text);
		}
		return true;
	}

	private static String name(Ticket ticket) {
		return ticket.key() + " " + ticket.token();
	}

	@Override
	public void verify() {
		ping();
	}

	@Override
	public boolean blocks() {
		return this.world.plan.seed() % 4 == 1;
	}

	@Override
	public boolean keepsOrder() {
		return this.world.plan.seed() % 4 == 0 || this.world.plan.seed() % 4 == 3;
	}

	@Override
	public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
		this.world.history.costs.sends(this.jvm, ticket);
		char how = queue ? this.inbox.state() : 'N';
		TimeSource.Instant sent = this.jvm.now();
		String text = "attempt " + name(ticket) + " " + how;
		Function<SimulatedServer, ServerAnswer> command = (server) -> server.attempt(ticket, lease.toMillis(), how);
		if (this.world.flaw == PromiseFlaw.ATTEMPTS_REPEATED) {
			this.world.history.costs.sends(this.jvm, ticket);
			sendOrCall(text, command);
		}
		return sendOrCall(text, command).thenApply((answer) -> attempted(ticket, lease, queue, sent, answer));
	}

	private AttemptResult attempted(Ticket ticket, Duration lease, boolean queue, TimeSource.Instant sent,
			ServerAnswer answer) {
		if (this.world.network.server.isPoisoned(ticket.key(), true) && this.world.networkRandom.nextBoolean()) {
			mayThrow(Stream.of(ticket));
		}
		return switch (answer.word()) {
			case GRANTED -> {
				this.world.granting(this.jvm);
				yield granted(ticket, answer, sent);
			}
			case WAITING -> waiting(answer, lease, sent);
			default -> busy(answer, queue);
		};
	}

	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		this.world.history.costs.sends(this.jvm, ticket);
		String text = "release " + name(ticket) + " " + lastToken
				+ ((next != null) ? " then " + next.ticket().token() : "");
		Function<SimulatedServer, ServerAnswer> command = releasing(ticket, lastToken, next);
		TimeSource.Instant sent = this.jvm.now();
		return sendOrCall(text, command).thenApply((answer) -> released(answer, next, sent));
	}

	private Function<SimulatedServer, ServerAnswer> releasing(Ticket ticket, long lastToken, @Nullable Successor next) {
		if (next == null) {
			return (server) -> server.release(ticket, lastToken, null, 0, 'N');
		}
		char how = this.inbox.state();
		return (server) -> server.release(ticket, lastToken, next.ticket(), next.lease().toMillis(), how);
	}

	private ReleaseResult released(ServerAnswer answer, @Nullable Successor next, TimeSource.Instant sent) {
		if (next == null) {
			return new ReleaseResult(answer.word() != Word.GONE, null);
		}
		Ticket ticket = next.ticket();
		return new ReleaseResult(answer.word() != Word.GONE, switch (answer.word()) {
			case GRANTED -> granted(ticket, answer, sent);
			case WAITING -> waiting(answer, next.lease(), sent);
			case UNQUEUED -> unqueued(null);
			default -> null;
		});
	}

	@Override
	public CompletionStage<?> cancel(Ticket ticket) {
		this.world.history.costs.sends(this.jvm, ticket);
		return sendOrCall("cancel " + name(ticket), (server) -> server.cancel(ticket));
	}

	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		renewals.forEach((each) -> this.world.history.costs.renews(this.jvm, each.ticket()));
		RenewalResult[] results = new RenewalResult[renewals.size()];
		return renew(renewals, false, results).thenCombine(renew(renewals, true, results),
				(one, two) -> List.of(results));
	}

	private CompletionStage<?> renew(List<Renewal> renewals, boolean readers, RenewalResult[] results) {
		int[] indexes = IntStream.range(0, results.length)
			.filter((i) -> renewals.get(i).ticket().isReader() == readers)
			.toArray();
		if (indexes.length == 0) {
			return CompletableFuture.completedFuture(results);
		}
		List<Renewal> chosen = IntStream.of(indexes).mapToObj(renewals::get).toList();
		TimeSource.Instant sent = this.jvm.now();
		CompletionStage<List<Integer>> sending;
		try {
			sending = sendOrCall("renew " + chosen.stream().map((each) -> name(each.ticket())).toList(),
					(server) -> server.renew(chosen));
		}
		catch (LockBackendException ex) {
			sending = CompletableFuture.failedFuture(ex);
		}
		return sending.handle((answers, failure) -> {
			mayThrow(chosen.stream().map(Renewal::ticket));
			for (int i = 0; i < indexes.length; i++) {
				results[indexes[i]] = (failure != null)
						? new RenewalResult.Unknown((LockBackendException) StoreCalls.unwrap(failure),
								isRefusal(failure))
						: (answers.get(i) == 1)
								? new RenewalResult.Extended(Validity.until(sent, chosen.get(i).lease()))
								: new RenewalResult.Gone(answers.get(i) == 2);
			}
			return results;
		});
	}

	private AttemptResult granted(Ticket ticket, ServerAnswer answer, TimeSource.Instant sent) {
		long last = answer.first() + ServerScript.count(ticket) - 1;
		return new Grant(answer.first(), last, Validity.until(sent, Duration.ofMillis(Math.max(0, answer.ttl()))));
	}

	private AttemptResult waiting(ServerAnswer answer, Duration lease, TimeSource.Instant sent) {
		// The validity of grants by message is computed from this.
		this.inbox.observe(sent, answer.serverMicros());
		double share = SAFETY_SHARE + this.random.nextDouble(SAFETY_JITTER);
		long delay = (long) (Math.min(MAX_GRACE_MILLIS, lease.toMillis()) * share);
		if (answer.position() == 0 && answer.ttl() >= 0) {
			delay = Math.min(delay, Math.max(MIN_RETRY_MILLIS, answer.ttl() + 1));
		}
		return new AttemptResult.Queued(Duration.ofMillis(delay), answer.queuedNow(), holder(answer));
	}

	private AttemptResult busy(ServerAnswer answer, boolean queue) {
		return queue ? unqueued(holder(answer))
				: new AttemptResult.Busy(Duration.ofMillis(Math.max(0, answer.ttl())), holder(answer));
	}

	private AttemptResult unqueued(@Nullable StoredHolder holder) {
		long delay = this.random.nextLong(UNQUEUED_RETRY_MILLIS / 2, UNQUEUED_RETRY_MILLIS);
		return new AttemptResult.Queued(Duration.ofMillis(delay), false, holder);
	}

	private static @Nullable StoredHolder holder(ServerAnswer answer) {
		return (answer.holder() != null) ? SimulatedServer.holder(answer.holder(), answer.holderFirst(), answer.ttl())
				: null;
	}

	@Override
	public StoreInspection inspection() {
		return this;
	}

	@Override
	public void close() {
		this.world.network.close(this.inbox.link);
	}

	@Override
	public String location() {
		return "the simulated server";
	}

	@Override
	public String channel() {
		return this.inbox.isConfirmed() ? "subscribed" : "polling";
	}

	@Override
	public void ping() {
		call("ping", (server) -> true);
	}

	@Override
	public StoredLock inspect(String key) {
		return Objects.requireNonNull(call("inspect " + key, (server) -> server.inspect(key)));
	}

	@Override
	public EndResult end(String key, long grantToken) {
		return call("end " + key + " " + grantToken, (server) -> server.end(key, grantToken));
	}

}
