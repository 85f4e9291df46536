package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.redlock.QuorumNode.Claim;
import io.github.distlock.backend.redlock.QuorumNode.NodeClaim;
import io.github.distlock.backend.redlock.QuorumNode.NodeLock;
import io.github.distlock.backend.redlock.QuorumNode.Vote;
import org.jspecify.annotations.Nullable;

/**
 * One claim as several nodes see it.
 *
 * <h2>What names a grant</h2> Its first token is the highest vote of the majority that
 * the holder waited for. As a rule all nodes have voted for the token that the claim
 * proposed ({@link TokenClock}), and that is it. Otherwise only the holder knows which
 * votes it counted: then any of the votes names the grant, and the one shown is the
 * lowest that a majority can have had.
 *
 * @param claim the claim
 * @param nodes the nodes that it holds
 */
record ObservedClaim(Claim claim, List<NodeClaim> nodes) {

	/** Return the claims of a lock, the one with the most nodes first. */
	static List<ObservedClaim> of(Stream<@Nullable NodeClaim> answers) {
		Map<Claim, List<NodeClaim>> claims = new LinkedHashMap<>();
		answers.forEach((each) -> {
			if (each != null) {
				claims.computeIfAbsent(each.claim(), (claim) -> new ArrayList<>()).add(each);
			}
		});
		return claims.entrySet()
			.stream()
			.map((entry) -> new ObservedClaim(entry.getKey(), entry.getValue()))
			.sorted(Comparator.comparing((ObservedClaim view) -> view.nodes().size()).reversed())
			.toList();
	}

	/**
	 * Return what holds a lock that was refused, or {@code null} if that is not known.
	 */
	static @Nullable StoredHolder refusing(Stream<Vote> votes, int majority) {
		return of(votes.map((vote) -> (vote instanceof Vote.Held held) ? held.claim() : null)).stream()
			.filter((view) -> view.nodes().size() >= majority)
			.map((view) -> view.holder(majority, null))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return the claim that holds a lock, or may hold it on the nodes that are away.
	 */
	static Optional<ObservedClaim> holding(List<NodeLock> answers, Quorum quorum) {
		return of(answers.stream().map(NodeLock::claim)).stream()
			.filter((view) -> view.mayHold(answers.size(), quorum))
			.findFirst();
	}

	boolean mayHold(int answered, Quorum quorum) {
		return this.nodes.size() + quorum.size() - answered >= quorum.majority();
	}

	/**
	 * Return whether a token names the grant of the claim.
	 * @param known the grant, if it is one of this JVM
	 */
	boolean isNamed(long token, @Nullable Grant known) {
		return (known != null) ? known.firstToken() == token
				: this.nodes.stream().anyMatch((node) -> node.token() == token);
	}

	/** Return the holder. */
	StoredHolder holder(int majority, @Nullable Grant known) {
		int enough = Math.min(majority, this.nodes.size()) - 1;
		long token = (known != null) ? known.firstToken()
				: this.nodes.stream().mapToLong(NodeClaim::token).sorted().skip(enough).findFirst().orElseThrow();
		// The lock is held as long as a majority holds the claim.
		Duration ttl = this.nodes.stream()
			.map(NodeClaim::ttl)
			.sorted(Comparator.reverseOrder())
			.skip(enough)
			.findFirst()
			.orElseThrow();
		Instant since = this.nodes.stream().map(NodeClaim::since).min(Comparator.naturalOrder()).orElseThrow();
		return new StoredHolder(this.claim.ticket().instance(), this.claim.ticket().mode(), since, ttl, token);
	}

	/**
	 * Return the last token of the grant, as far as the votes say.
	 * @param tokensPerGrant how many tokens the grant has at least
	 */
	long lastToken(int tokensPerGrant, @Nullable Grant known) {
		long highest = this.nodes.stream().mapToLong(NodeClaim::token).max().orElseThrow();
		int count = this.nodes.stream().mapToInt(NodeClaim::count).max().orElseThrow();
		return (known != null) ? known.lastToken() : highest + Math.max(count, tokensPerGrant) - 1;
	}

	/**
	 * Return by how many microseconds the last token of the grant may be ahead of the
	 * vote of any node. A vote that is not seen may have been higher than all others.
	 * Then the last token is less than half of the lease ahead of the clock that a node
	 * voted with, or the holder has raised the floor there: see {@link LockRound#secure}.
	 */
	long unseenAhead(Quorum quorum, Duration longestLease, @Nullable Grant known) {
		return (known != null || this.nodes.size() == quorum.size()) ? 0 : longestLease.toNanos() / 2000;
	}

}
