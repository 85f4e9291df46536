package io.github.distlock.backend.redlock;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redlock.QuorumNode.NodeLock;
import io.github.distlock.backend.redlock.RedlockTicket.WonRound;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes together tell operators. Each question goes to all nodes at once and
 * waits for all answers: a node that is away costs one time-out of a command. The answers
 * of a majority are needed.
 */
final class RedlockInspection implements StoreInspection {

	private final RedlockStore store;

	private final Quorum quorum;

	private final RedlockSettings settings;

	RedlockInspection(RedlockStore store, Quorum quorum, RedlockSettings settings) {
		this.store = store;
		this.quorum = quorum;
		this.settings = settings;
	}

	@Override
	public StoredLock inspect(String key) {
		List<NodeLock> answers = look(key);
		Optional<ObservedClaim> held = ObservedClaim.holding(answers, this.quorum);
		List<StoredHolder> holders = held.map((view) -> view.holder(this.quorum.majority(), grantOf(view)))
			.stream()
			.toList();
		Set<Ticket> queued = new LinkedHashSet<>();
		answers.forEach((answer) -> queued.addAll(answer.queue()));
		held.ifPresent((view) -> queued.remove(view.claim().ticket()));
		return new StoredLock(key, holders,
				queued.stream().map((ticket) -> new StoredWaiter(ticket.instance(), ticket.mode())).toList());
	}

	@Override
	public EndResult end(String key, long grantToken) {
		List<NodeLock> answers = look(key);
		ObservedClaim held = ObservedClaim.holding(answers, this.quorum).orElse(null);
		if (held == null) {
			return EndResult.NOT_HELD;
		}
		if (!held.isNamed(grantToken, grantOf(held))) {
			return EndResult.CHANGED;
		}
		Grant known = grantOf(held);
		long last = held.lastToken(this.settings.tokensPerGrant(), known);
		long ahead = held.unseenAhead(this.quorum, this.settings.longestLease(), known);
		// The lock is free when a majority has answered, whatever it says: those nodes do
		// not hold the claim, and it is never made again.
		ask("release by an operator", key, (node) -> node.end(held.claim(), last, ahead));
		return EndResult.ENDED;
	}

	/** The grant of a claim of this JVM, which knows more than the nodes. */
	private @Nullable Grant grantOf(ObservedClaim view) {
		WonRound won = this.store.wonRound(view.claim().ticket());
		return (won != null && won.round().claim().equals(view.claim())) ? won.grant() : null;
	}

	private List<NodeLock> look(String key) {
		return ask("look-up", key, (node) -> node.inspect(key));
	}

	/** Wait for all nodes, and return the answers of those that are not away. */
	private <T> List<T> ask(String action, String key, Function<QuorumNode, CompletionStage<T>> question) {
		this.store.requireOpen();
		return this.quorum.await(VoteCollector.judge(this.quorum.ask(question), (answers) -> {
			if (answers.outstanding() > 0) {
				return null;
			}
			List<T> given = answers.given();
			if (given.size() < this.quorum.majority()) {
				throw this.quorum.failure(action + ", which " + given.size() + " answered,", key, answers,
						(answer) -> "");
			}
			return given;
		}));
	}

}
