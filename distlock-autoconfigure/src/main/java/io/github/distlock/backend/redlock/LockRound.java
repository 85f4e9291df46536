package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.redlock.QuorumNode.Claim;
import io.github.distlock.backend.redlock.QuorumNode.Vote;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * One claim, put to all nodes at once: won with a majority of them.
 *
 * <h2>Why two valid holders never overlap</h2> Two winners have a node in common. It
 * granted the second one only after the claim of the first was left there, or had
 * expired, later than the first one's validity, which counts from before anything was
 * sent; or it has restarted and forgotten, and then counts again only when each lease
 * from before has passed.
 *
 * <h2>Why tokens rise</h2> The token is the highest that any node of the majority
 * proposed; each proposes more than its floor, and not less than its clock. Before the
 * holder enters, the following is true on a majority of nodes, all of which hold its
 * claim: <em>before anybody else can hold this node, its floor or its clock has reached
 * the last token of the grant</em>. It holds where the clock will be past the token when
 * the claim expires, since a claim that is left instead leaves its last used token as
 * floor, in the same script; elsewhere the floor is raised first. The next winner has one
 * of these nodes, whose vote was cast while it took the claim and so knew the floor.
 * Floors that were read before the lock was held, or raised on a node that does not hold
 * it, would miss each other.
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
	 * Ask all nodes.
	 * @param queueAt the node that shall queue the ticket, or -1
	 */
	static LockRound hold(Quorum quorum, Claim claim, Duration lease, Duration oldEnough, int queueAt,
			TimeSource clock) {
		TimeSource.Instant sent = clock.now();
		List<CompletableFuture<Vote>> votes = IntStream.range(0, quorum.size())
			.mapToObj((i) -> Quorum.ask(quorum.node(i), (node) -> node.claim(claim, lease, oldEnough, i == queueAt)))
			.toList();
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

	/** What each node says, or will say. */
	List<CompletableFuture<Vote>> votes() {
		return this.votes;
	}

	/** Wait until it is decided. */
	Result result() {
		return this.quorum.await(VoteCollector.judge(this.votes, this::judge));
	}

	private @Nullable Result judge(VoteCollector<Vote> answers) {
		int granted = answers.count(Vote.Granted.class::isInstance);
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
		long token = answers.given()
			.mapToLong((vote) -> (vote instanceof Vote.Granted granted) ? granted.token() : 0)
			.max()
			.orElseThrow();
		Map<Integer, Vote.Granted> granted = new HashMap<>();
		for (int i = 0; i < answers.nodes(); i++) {
			if (answers.of(i) instanceof Vote.Granted vote) {
				granted.put(i, vote);
			}
		}
		return new Result.Won(token, granted);
	}

	private Result lost(VoteCollector<Vote> answers) {
		boolean queued = this.queueAt >= 0 && answers.of(this.queueAt) instanceof Vote.Held held && held.queued();
		Duration remaining = answers.given()
			.map((vote) -> (vote instanceof Vote.Held held) ? held.remaining() : Duration.ZERO)
			.max(Duration::compareTo)
			.orElse(Duration.ZERO);
		int heldAt = IntStream.range(0, answers.nodes())
			.filter((i) -> answers.of(i) instanceof Vote.Held && this.quorum.node(i).isListening())
			.findFirst()
			.orElse(-1);
		return new Result.Lost(remaining, queued, heldAt);
	}

	/**
	 * Make sure that later tokens are higher than the last one of the grant. Asks nobody
	 * where the nodes' clocks agree.
	 * @return whether that is so on a majority
	 */
	boolean secure(Result.Won won, long lastToken) {
		// Half, for the time that a lock and a clock may be apart in precision.
		long ahead = this.lease.toNanos() / 2000;
		List<CompletableFuture<Boolean>> secured = IntStream.range(0, this.quorum.size()).mapToObj((i) -> {
			Vote.Granted vote = won.votes().get(i);
			if (vote == null || lastToken < vote.nowMicros() + ahead) {
				return CompletableFuture.completedFuture(vote != null);
			}
			return this.quorum.node(i).raise(this.claim, lastToken).toCompletableFuture();
		}).toList();
		return this.quorum.await(VoteCollector.judge(secured, (answers) -> {
			int yes = answers.count(Boolean::booleanValue);
			if (yes >= this.quorum.majority()) {
				return true;
			}
			return (yes + answers.outstanding() < this.quorum.majority()) ? false : null;
		}));
	}

	/** How an round ends. */
	sealed interface Result {

		/**
		 * A majority holds the claim.
		 *
		 * @param token the first fencing token
		 * @param votes the votes of the majority, by node
		 */
		record Won(long token, Map<Integer, Vote.Granted> votes) implements Result {
		}

		/**
		 * Others hold too many nodes.
		 *
		 * @param remaining how long at most, if nobody renews
		 * @param queued whether the ticket is queued where it was to be
		 * @param heldAt a node that others hold, where it could be queued; or -1
		 */
		record Lost(Duration remaining, boolean queued, int heldAt) implements Result {
		}

		/**
		 * Too few nodes count.
		 *
		 * @param cause what they said
		 */
		record Failed(LockBackendException cause) implements Result {
		}

	}

}
