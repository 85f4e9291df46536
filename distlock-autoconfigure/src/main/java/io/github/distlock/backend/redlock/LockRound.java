package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.redlock.Quorum.NodeAnswers;
import io.github.distlock.backend.redlock.QuorumNode.NodeRefusedException;
import io.github.distlock.backend.redlock.QuorumNode.Vote;
import org.jspecify.annotations.Nullable;

/**
 * One claim, sent to all nodes at once: it wins with a majority of them.
 *
 * <h2>Why two valid holders never overlap</h2> Two winners have a node in common. Either
 * this node granted the second claim after the first one was given up there or had
 * expired. That is later than the end of the first one's validity, which counts from
 * before anything was sent. Or the node lost the first claim in a restart; then it counts
 * again only when every lease from before the restart has passed.
 *
 * <h2>Why tokens rise</h2> The token is the highest that any node of the majority voted
 * for. Each node votes for more than its floor, not less than its clock, and not less
 * than the claim proposes. Before the holder enters, the following is true on a majority
 * of nodes, all of which hold its claim: <em>before another claim can hold this node, its
 * floor or its clock has reached the last token of the grant</em>. It is true without a
 * command where the clock will be past the token when the claim expires, since a claim
 * that is given up before leaves its last used token as the floor, in the same script. On
 * other nodes the floor is raised first. The next winner has one of these nodes, which
 * read the floor for its vote while it took the claim. A floor that was read before the
 * lock was held, or raised on a node that does not hold it, could be missed.
 *
 * <h2>How it ends</h2> A claim that did not win, or is released, is given up at all nodes
 * that hold it or may hold it, those that never answered included. The command is sent to
 * a node after its vote has arrived or failed, so that the claim cannot arrive later, and
 * in the background again and again until the node has acknowledged it, or the claim has
 * expired there. A claim that was left is never made again: each try has a new name, so
 * that a command that is still in transit for an old one cannot affect a newer one.
 */
final class LockRound {

	private static final long MIN_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long MAX_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

	private final Quorum quorum;

	private final Ticket ticket;

	private final String claim;

	private final int queueAt;

	private final TimeSource.Instant sent;

	/** By node. */
	private final List<CompletableFuture<Vote>> votes;

	/** How long a node may hold the claim from the last command on. */
	private volatile Duration lease;

	/** The grant, if a majority holds the claim. */
	private volatile @Nullable Grant grant;

	/** By node: the last try to give up the claim; empty before the first. */
	private final List<CompletableFuture<Boolean>> left = new CopyOnWriteArrayList<>();

	private volatile boolean leaving;

	/**
	 * Send the claim to all nodes.
	 * @param queueAt the node that queues the ticket if the lock is held, or -1
	 */
	LockRound(Quorum quorum, Ticket ticket, String claim, Duration lease, int queueAt) {
		this.quorum = quorum;
		this.ticket = ticket;
		this.claim = claim;
		this.lease = lease;
		this.queueAt = queueAt;
		this.sent = quorum.clock.now();
		long token = quorum.propose(lease);
		this.votes = IntStream.range(0, quorum.size())
			.mapToObj((i) -> quorum.node(i).claim(ticket, claim, lease, token, i == queueAt, quorum.settings))
			.toList();
	}

	String claim() {
		return this.claim;
	}

	/** The grant, or {@code null} if the round was not won or has been given up. */
	@Nullable Grant grant() {
		return this.leaving ? null : this.grant;
	}

	/** Return the votes that decide, as soon as they have arrived. */
	CompletableFuture<NodeAnswers<Vote>> decided() {
		return this.quorum.decide("attempt", this.ticket.key(), this.votes, (answers) -> {
			int granted = answers.given(Vote.Locked.class::isInstance);
			boolean hopeless = granted + answers.outstanding() < this.quorum.majority();
			boolean contended = answers.given((vote) -> true) >= this.quorum.majority();
			boolean queued = this.queueAt < 0 || !answers.isOutstanding(this.queueAt);
			return (granted >= this.quorum.majority() || hopeless && contended && queued || answers.outstanding() == 0)
					? answers : null;
		});
	}

	/**
	 * Make a grant of the votes, if a majority holds the claim, later tokens are higher
	 * than the last one of the grant, and the round took less time than the lease.
	 * @return completes with the grant, or {@code null}
	 */
	CompletableFuture<@Nullable Grant> win(NodeAnswers<Vote> answers) {
		List<Vote.Locked> granted = answers.given()
			.stream()
			.filter(Vote.Locked.class::isInstance)
			.map(Vote.Locked.class::cast)
			.toList();
		if (granted.size() < this.quorum.majority()) {
			return CompletableFuture.completedFuture(null);
		}
		this.quorum.observe(granted.stream().mapToLong(Vote.Locked::nowMicros).max().orElseThrow(), this.sent.nanos());
		long first = granted.stream().mapToLong(Vote.Locked::token).max().orElseThrow();
		long last = first + this.quorum.settings.tokensPerGrant() - 1;
		Validity validity = Validity.until(this.sent, Quorum.withoutDrift(this.lease));
		return secure(answers, last).thenApply((secured) -> {
			if (secured && !validity.hasPassed(this.quorum.clock)) {
				this.grant = new Grant(first, last, validity);
			}
			return this.grant;
		});
	}

	/**
	 * Make sure that later tokens are higher than the last one of the grant. Sends
	 * nothing if the clocks of the nodes agree.
	 * @return completes with whether this is true on a majority
	 */
	private CompletableFuture<Boolean> secure(NodeAnswers<Vote> answers, long lastToken) {
		// Half of the lease, in microseconds: the expiry of a claim may differ from the
		// clock.
		long ahead = this.lease.toNanos() / 2000;
		Predicate<Vote> behind = (vote) -> vote instanceof Vote.Locked locked
				&& lastToken >= locked.nowMicros() + ahead;
		if (answers.given(behind) == 0) {
			return CompletableFuture.completedFuture(true);
		}
		List<CompletableFuture<Boolean>> secured = new ArrayList<>();
		for (int i = 0; i < this.quorum.size(); i++) {
			Vote vote = answers.of(i);
			secured.add((vote != null && behind.test(vote))
					? this.quorum.node(i).raise(this.ticket.key(), this.claim, lastToken)
					: CompletableFuture.completedFuture(vote instanceof Vote.Locked));
		}
		return this.quorum.decide("attempt", this.ticket.key(), secured, this.quorum::agreed);
	}

	/**
	 * Complete when a majority has renewed the claim, or cannot. A node that does not
	 * hold it, since it was down when the claim was made or has lost it, does not take it
	 * again: it says that the claim is gone.
	 * @param renewed the claims that each node has renewed
	 */
	CompletableFuture<RenewalResult> renewed(List<CompletableFuture<Set<String>>> renewed, Duration newLease,
			TimeSource.Instant newSent) {
		List<CompletableFuture<Boolean>> answers = renewed.stream()
			.map((node) -> node.thenApply((claims) -> claims.contains(this.claim)))
			.toList();
		return this.quorum.decide("renewal", this.ticket.key(), answers, this.quorum::agreed)
			.handle((agreed, failure) -> (failure != null) ? new RenewalResult.Unknown(Quorum.asFailure(failure))
					: renewed(agreed, newLease, newSent));
	}

	private RenewalResult renewed(boolean agreed, Duration newLease, TimeSource.Instant newSent) {
		Grant before = grant();
		if (before == null || !agreed) {
			return new RenewalResult.Gone(false);
		}
		Validity validity = Validity.until(newSent, Quorum.withoutDrift(newLease));
		if (validity.hasPassed(this.quorum.clock)) {
			return new RenewalResult.Unknown(new LockBackendException(
					"Lock '" + this.ticket.key() + "' was not renewed by enough nodes within its lease"));
		}
		this.grant = new Grant(before.firstToken(), before.lastToken(), validity);
		this.lease = (newLease.compareTo(this.lease) > 0) ? newLease : this.lease;
		return new RenewalResult.Extended(validity);
	}

	/**
	 * Begin to give up the claim.
	 * @param usedToken the last token that was used, as far as is known; another number
	 * if that is not known
	 * @param onWoken is called when a node has signalled a waiting ticket; {@code null}
	 * to signal no ticket
	 */
	void leave(long usedToken, @Nullable Runnable onWoken) {
		Grant won = this.grant;
		long last = (won == null) ? 0
				: (usedToken >= won.firstToken() && usedToken <= won.lastToken()) ? usedToken : won.lastToken();
		long giveUpNanos = this.quorum.clock.nanoTime() + this.lease.toNanos();
		List<CompletableFuture<Boolean>> tries = new ArrayList<>();
		for (int i = 0; i < this.quorum.size(); i++) {
			int node = i;
			tries.add(this.votes.get(i).handle((vote, failure) -> {
				boolean absent = vote instanceof Vote.Held
						|| failure != null && Quorum.asFailure(failure) instanceof NodeRefusedException;
				return absent ? CompletableFuture.completedFuture(false)
						: leave(node, last, onWoken, failure != null, giveUpNanos);
			}).thenCompose(Function.identity()));
		}
		this.left.addAll(tries);
		// Last: a thread that sees this waits for all nodes, even after an error.
		this.leaving = true;
	}

	/**
	 * Send the command to a node.
	 * @param stray whether its vote failed: the claim may still be in transit, and arrive
	 * after this command
	 */
	private CompletableFuture<Boolean> leave(int node, long lastToken, @Nullable Runnable onWoken, boolean stray,
			long giveUpNanos) {
		CompletableFuture<Boolean> command = this.quorum.node(node)
			.leave(this.ticket.key(), this.claim, lastToken, onWoken);
		command.whenComplete((released, failure) -> {
			if (failure == null && stray) {
				this.quorum.timers.schedule(() -> leave(node, lastToken, onWoken, false, giveUpNanos),
						this.quorum.settings.nodeTimeout().toNanos());
			}
			else if (failure != null && this.quorum.clock.nanoTime() - giveUpNanos < 0) {
				this.quorum.timers.schedule(
						() -> this.left.set(node, leave(node, lastToken, onWoken, stray, giveUpNanos)),
						this.quorum.random.nextLong(MIN_RETRY_NANOS, MAX_RETRY_NANOS));
			}
		});
		return command;
	}

	/**
	 * Complete when a majority has given up the claim, or after the last try at each
	 * node.
	 * @return completes with whether the claim was held; fails if that is not known yet
	 */
	CompletableFuture<Boolean> released() {
		return this.quorum.decide("release", this.ticket.key(), List.copyOf(this.left), (answers) -> {
			Boolean agreed = this.quorum.agreed(answers);
			return (agreed == null && answers.outstanding() == 0) ? Boolean.TRUE : agreed;
		});
	}

}
