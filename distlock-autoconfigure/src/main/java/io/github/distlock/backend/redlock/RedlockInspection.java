package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.redlock.QuorumNode.NodeClaim;
import io.github.distlock.backend.redlock.QuorumNode.NodeLock;
import io.github.distlock.backend.redlock.QuorumNode.Vote;
import io.github.distlock.backend.redlock.Quorum.NodeAnswers;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes together tell operators. Each question goes to all nodes at once and
 * waits for all answers: a node that is away costs one time-out of a command. The answers
 * of a majority are needed.
 *
 * <h2>What names a grant</h2> Its first token is the highest vote of the majority that
 * the holder waited for. As a rule all nodes have voted for the token that the claim
 * proposed, and that is it. Otherwise only the holder knows which votes it counted: then
 * any of the votes names the grant, and the one shown is the lowest that a majority can
 * have had.
 *
 * @param store the open store
 * @param quorum the nodes
 */
record RedlockInspection(RedlockStore store, Quorum quorum) implements StoreInspection {

	@Override
	public StoredLock inspect(String key) {
		List<NodeLock> answers = ask("look-up", key, (node) -> node.inspect(key));
		List<NodeClaim> held = holding(answers);
		List<StoredWaiter> waiting = answers.stream()
			.flatMap((answer) -> answer.queue().stream())
			.distinct()
			.filter((ticket) -> held.stream().noneMatch((claim) -> claim.ticket().equals(ticket)))
			.map((ticket) -> new StoredWaiter(ticket.instance(), ticket.mode()))
			.toList();
		return new StoredLock(key, held.isEmpty() ? List.of() : List.of(holder(held, this.quorum)), waiting);
	}

	@Override
	public EndResult end(String key, long grantToken) {
		List<NodeClaim> held = holding(ask("look-up", key, (node) -> node.inspect(key)));
		if (held.isEmpty()) {
			return EndResult.NOT_HELD;
		}
		if (held.stream().noneMatch((claim) -> claim.token() == grantToken)) {
			return EndResult.CHANGED;
		}
		long last = held.stream().mapToLong((claim) -> claim.token() + claim.count() - 1).max().orElseThrow();
		// A vote that is not seen may have been higher than all others. Then the last
		// token is less than half of the lease ahead of the clock that a node voted with,
		// or the holder has raised the floor there: see LockRound.
		long ahead = (held.size() == this.quorum.size()) ? 0 : this.quorum.settings.longestLease().toNanos() / 2000;
		// The lock is free when a majority has answered, whatever it says: those nodes do
		// not hold the claim, and it is never made again.
		ask("release by an operator", key, (node) -> node.end(key, held.get(0).name(), last, ahead));
		return EndResult.ENDED;
	}

	/** What holds a lock that was refused, or {@code null} if that is not known. */
	static @Nullable StoredHolder refusing(NodeAnswers<Vote> votes, Quorum quorum) {
		List<NodeClaim> most = most(
				votes.given().stream().map((vote) -> (vote instanceof Vote.Held held) ? held.claim() : null));
		return (most.size() >= quorum.majority()) ? holder(most, quorum) : null;
	}

	/** The claim that holds a lock, or may hold it on the nodes that are away. */
	private List<NodeClaim> holding(List<NodeLock> answers) {
		List<NodeClaim> most = most(answers.stream().map(NodeLock::claim));
		int away = this.quorum.size() - answers.size();
		return (most.size() + away >= this.quorum.majority()) ? most : List.of();
	}

	/**
	 * The claim that most nodes have, as each of them sees it; empty if there is none.
	 */
	private static List<NodeClaim> most(Stream<@Nullable NodeClaim> claims) {
		Map<String, List<NodeClaim>> byName = claims.filter(Objects::nonNull)
			.collect(Collectors.groupingBy(NodeClaim::name));
		return byName.values().stream().max(Comparator.comparingInt(List::size)).orElse(List.of());
	}

	private static StoredHolder holder(List<NodeClaim> nodes, Quorum quorum) {
		int enough = Math.min(quorum.majority(), nodes.size()) - 1;
		long token = nodes.stream().map(NodeClaim::token).sorted().toList().get(enough);
		// The lock is held as long as a majority holds the claim.
		Duration ttl = nodes.stream().map(NodeClaim::ttl).sorted(Comparator.reverseOrder()).toList().get(enough);
		Instant since = nodes.stream().map(NodeClaim::since).min(Comparator.naturalOrder()).orElseThrow();
		return new StoredHolder(nodes.get(0).ticket().instance(), nodes.get(0).ticket().mode(), since, ttl, token);
	}

	/** Wait for all nodes, and return the answers of those that are not away. */
	private <T> List<T> ask(String action, String key, Function<QuorumNode, CompletableFuture<T>> question) {
		this.store.opened().join();
		return Quorum.await(this.quorum.decide(action, key, this.quorum.ask(question),
				(answers) -> (answers.outstanding() == 0) ? answers.given() : null));
	}

}
