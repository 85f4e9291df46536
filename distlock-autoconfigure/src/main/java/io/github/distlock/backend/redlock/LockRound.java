package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.redlock.QuorumNode.Claim;
import io.github.distlock.backend.redlock.QuorumNode.Proposal;
import io.github.distlock.backend.redlock.QuorumNode.Vote;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.TimeSource;
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
 */
final class LockRound {

	private final Quorum quorum;

	private final Claim claim;

	private final TimeSource.Instant sent;

	private final List<CompletableFuture<Vote>> votes;

	private final Duration lease;

	private final int queueAt;

	private LockRound(Quorum quorum, Claim claim, Duration lease, int queueAt, TimeSource.Instant sent,
			List<CompletableFuture<Vote>> votes) {
		this.quorum = quorum;
		this.claim = claim;
		this.lease = lease;
		this.queueAt = queueAt;
		this.sent = sent;
		this.votes = votes;
	}

	/**
	 * Send the claim to all nodes.
	 * @param queueAt the node that queues the ticket if the lock is held, or -1
	 */
	static LockRound begin(Quorum quorum, Claim claim, Proposal proposal, Duration lease, Duration oldEnough,
			int queueAt, TimeSource clock) {
		TimeSource.Instant sent = clock.now();
		List<CompletableFuture<Vote>> votes = new ArrayList<>(quorum.size());
		for (int i = 0; i < quorum.size(); i++) {
			boolean queue = i == queueAt;
			votes.add(Quorum.ask(quorum.node(i), (node) -> node.claim(claim, proposal, lease, oldEnough, queue)));
		}
		return new LockRound(quorum, claim, lease, queueAt, sent, votes);
	}

	Claim claim() {
		return this.claim;
	}

	Duration lease() {
		return this.lease;
	}

	TimeSource.Instant sent() {
		return this.sent;
	}

	/** The votes of the nodes, which may be outstanding. */
	List<CompletableFuture<Vote>> votes() {
		return this.votes;
	}

	/** Wait for the result. */
	Result result() {
		return this.quorum.await(VoteCollector.judge(this.votes, this::judge));
	}

	private @Nullable Result judge(VoteCollector<Vote> answers) {
		int granted = answers.count(Vote.Locked.class::isInstance);
		if (granted >= this.quorum.majority()) {
			return won(answers);
		}
		int held = answers.count(Vote.Held.class::isInstance);
		int outstanding = answers.outstanding();
		if (this.quorum.prevents(this.quorum.size() - outstanding - granted - held)) {
			return new Result.Failed(this.quorum.failure("attempt", this.claim.ticket().key(), answers,
					(vote) -> (vote instanceof Vote.Young young)
							? "not before it has been up for distlock.redlock.longest-lease, up for " + young.uptime()
							: ""));
		}
		boolean hopeless = granted + outstanding < this.quorum.majority();
		boolean contended = granted + held >= this.quorum.majority();
		boolean queued = this.queueAt < 0 || !answers.isOutstanding(this.queueAt);
		return (hopeless && contended && queued || outstanding == 0) ? lost(answers) : null;
	}

	private Result won(VoteCollector<Vote> answers) {
		long token = 0;
		Vote.@Nullable Locked[] granted = new Vote.Locked[answers.nodes()];
		for (int i = 0; i < granted.length; i++) {
			if (answers.of(i) instanceof Vote.Locked vote) {
				granted[i] = vote;
				token = Math.max(token, vote.token());
			}
		}
		return new Result.Won(token, granted);
	}

	private Result lost(VoteCollector<Vote> answers) {
		boolean queued = this.queueAt >= 0 && answers.of(this.queueAt) instanceof Vote.Held held && held.queued();
		Duration remaining = Duration.ZERO;
		int heldAt = -1;
		for (int i = 0; i < answers.nodes(); i++) {
			if (answers.of(i) instanceof Vote.Held held) {
				remaining = (held.remaining().compareTo(remaining) > 0) ? held.remaining() : remaining;
				heldAt = (heldAt < 0 && this.quorum.node(i).isListening()) ? i : heldAt;
			}
		}
		return new Result.NotWon(remaining, queued, heldAt,
				ObservedClaim.refusing(answers.given().stream(), this.quorum.majority()));
	}

	/**
	 * Make sure that later tokens are higher than the last one of the grant. Sends
	 * nothing if the clocks of the nodes agree.
	 * @return whether this is true on a majority
	 */
	boolean secure(Result.Won won, long lastToken) {
		// Half of the lease, in microseconds: the expiry of a claim may differ from the
		// clock.
		long ahead = this.lease.toNanos() / 2000;
		boolean needed = false;
		for (Vote.Locked vote : won.votes()) {
			needed |= vote != null && lastToken >= vote.nowMicros() + ahead;
		}
		if (!needed) {
			return true;
		}
		List<CompletableFuture<Boolean>> secured = new ArrayList<>(this.quorum.size());
		for (int i = 0; i < this.quorum.size(); i++) {
			Vote.Locked vote = won.votes()[i];
			secured.add((vote == null || lastToken < vote.nowMicros() + ahead)
					? CompletableFuture.completedFuture(vote != null)
					: this.quorum.node(i).raise(this.claim, lastToken).toCompletableFuture());
		}
		return this.quorum.await(VoteCollector.judge(secured, (answers) -> {
			int yes = answers.count(Boolean::booleanValue);
			if (yes >= this.quorum.majority()) {
				return true;
			}
			return (yes + answers.outstanding() < this.quorum.majority()) ? false : null;
		}));
	}

	/** The result of a round. */
	sealed interface Result {

		/**
		 * A majority holds the claim.
		 *
		 * @param token the first fencing token
		 * @param votes the votes of the majority, by node; {@code null} for other nodes
		 */
		@SuppressWarnings("ArrayRecordComponent")
		record Won(long token, Vote.@Nullable Locked[] votes) implements Result {
		}

		/**
		 * Other claims hold too many nodes.
		 *
		 * @param remaining how long the lock is still held at most unless it is renewed
		 * @param queued whether the requested node has queued the ticket
		 * @param heldAt a node that another claim holds, where the ticket could be
		 * queued; or -1
		 * @param holder what holds the lock, or {@code null} if that is not known
		 */
		record NotWon(Duration remaining, boolean queued, int heldAt, @Nullable StoredHolder holder) implements Result {
		}

		/**
		 * Too few nodes count.
		 *
		 * @param cause their failures
		 */
		record Failed(LockBackendException cause) implements Result {
		}

	}

}
