package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redlock.NodeAdministration.FoundLocks;
import io.github.distlock.backend.redlock.NodeAdministration.NodeLock;
import io.github.distlock.backend.redlock.NodeAdministration.NodeSearch;
import io.github.distlock.backend.redlock.RedlockTicket.WonRound;
import org.jspecify.annotations.Nullable;

/**
 * What operators need of the nodes together. Each question goes to all nodes at once and
 * waits for all answers: a node that is away costs one time-out of a command. Entries of
 * instances are hints, for which one node is enough; what concerns a lock needs the
 * answers of a majority.
 */
final class RedlockAdministration implements StoreAdministration {

	/** How long one call searches the nodes, and ends grants, at most. */
	private static final Duration SWEEP_TIME = Duration.ofSeconds(5);

	private static final int ANY = 1;

	private final RedlockStore store;

	private final Quorum quorum;

	private final RedlockSettings settings;

	private final LockInstance self;

	private final TimeSource clock;

	RedlockAdministration(RedlockStore store, Quorum quorum, RedlockSettings settings, LockInstance self,
			TimeSource clock) {
		this.store = store;
		this.quorum = quorum;
		this.settings = settings;
		this.self = self;
		this.clock = clock;
	}

	@Override
	public String location() {
		return "Redlock over " + this.quorum.size() + " Redis nodes at "
				+ this.quorum.nodes().stream().map(QuorumNode::name).collect(Collectors.joining(", ")) + ", prefix '"
				+ this.quorum.node(0).administration().prefix() + "'";
	}

	@Override
	public String channel() {
		long subscribed = this.quorum.nodes().stream().filter(QuorumNode::isListening).count();
		return (subscribed >= this.quorum.majority()) ? "subscribed" : "polling";
	}

	@Override
	public void ping() {
		this.store.verify();
	}

	@Override
	public void announce() {
		if (this.self.isResolved()) {
			ask("announcement of this instance", null, ANY, (node) -> node.announce(this.self));
		}
	}

	@Override
	public void withdraw() {
		if (this.self.isResolved()) {
			ask("removal of the entry of this instance", null, ANY, (node) -> node.withdraw(this.self));
		}
	}

	@Override
	public List<InstanceEntry> instances() {
		Map<String, InstanceEntry> latest = new HashMap<>();
		ask("look-up of instances", null, ANY, NodeAdministration::instances)
			.forEach((entries) -> entries.forEach((entry) -> latest.merge(entry.instance().id(), entry,
					(one, other) -> one.seen().isBefore(other.seen()) ? other : one)));
		return List.copyOf(latest.values());
	}

	@Override
	public StoredLock inspect(String key) {
		List<NodeLock> answers = look(key);
		Optional<ClaimView> held = ClaimView.holding(answers, this.quorum);
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
		ClaimView held = ClaimView.holding(answers, this.quorum).orElse(null);
		if (held == null) {
			return EndResult.NOT_HELD;
		}
		if (!held.isNamed(grantToken, grantOf(held))) {
			return EndResult.CHANGED;
		}
		end(held, grantToken);
		return EndResult.ENDED;
	}

	/**
	 * Remove a claim from all nodes. The lock is free when a majority has answered,
	 * whatever it says: those nodes do not hold the claim, and it is never made again.
	 * @return how many nodes held it
	 */
	private int end(ClaimView held, long grantToken) {
		Grant known = grantOf(held);
		long last = held.lastToken(this.settings.tokensPerGrant(), known);
		long ahead = held.unseenAhead(this.quorum, this.settings.longestLease(), known);
		return (int) ask("release by an operator", held.claim().ticket().key(), this.quorum.majority(),
				(node) -> node.end(held.claim(), grantToken, last, ahead))
			.stream()
			.filter(Boolean::booleanValue)
			.count();
	}

	/** The grant of a claim of this JVM, which knows more than the nodes. */
	private @Nullable Grant grantOf(ClaimView view) {
		WonRound won = this.store.wonRound(view.claim().ticket());
		return (won != null && won.round().claim().equals(view.claim())) ? won.grant() : null;
	}

	@Override
	public SweepResult endAll(String instance) {
		long begun = this.clock.nanoTime();
		if (ask("look-up of instance " + instance, null, this.quorum.majority(), (node) -> node.isAlive(instance))
			.contains(true)) {
			return SweepResult.ALIVE;
		}
		List<FoundLocks> found = search(instance);
		Set<String> keys = new LinkedHashSet<>();
		found.forEach((each) -> keys.addAll(each.keys()));
		int released = 0;
		for (String key : keys) {
			if (this.clock.nanoTime() - begun > 2 * SWEEP_TIME.toNanos()) {
				return new SweepResult(false, released, false);
			}
			released += endAll(instance, key);
		}
		// A grant is on a majority, and two majorities have a node in common.
		boolean complete = found.stream().filter(FoundLocks::complete).count() >= this.quorum.majority();
		return new SweepResult(false, released, complete);
	}

	/** End the claims of an instance on a lock, those that won no majority included. */
	private int endAll(String instance, String key) {
		int released = 0;
		List<NodeLock> answers = look(key);
		for (ClaimView view : ClaimView.of(answers.stream().map(NodeLock::claim))) {
			if (view.claim().ticket().instance().equals(instance)) {
				end(view, view.holder(this.quorum.majority(), null).grantToken());
				released += view.mayHold(answers.size(), this.quorum) ? 1 : 0;
			}
		}
		return released;
	}

	private List<FoundLocks> search(String instance) {
		List<NodeSearch> searches = new ArrayList<>();
		try {
			this.quorum.nodes().forEach((node) -> searches.add(node.administration().search(instance)));
			return answers("search for locks of instance " + instance, null, this.quorum.majority(),
					IntStream.range(0, searches.size())
						.mapToObj((i) -> Quorum.ask(this.quorum.node(i), (node) -> searches.get(i).run(SWEEP_TIME)))
						.toList(),
					SWEEP_TIME);
		}
		finally {
			searches.forEach(NodeSearch::close);
		}
	}

	private List<NodeLock> look(String key) {
		return ask("look-up", key, this.quorum.majority(), (node) -> node.inspect(key));
	}

	private <T> List<T> ask(String action, @Nullable String key, int needed,
			Function<NodeAdministration, CompletionStage<T>> question) {
		this.store.requireOpen();
		return answers(action, key, needed, this.quorum.ask((node) -> question.apply(node.administration())),
				Duration.ZERO);
	}

	/** Wait for all nodes, and return the answers of those that are not away. */
	private <T> List<T> answers(String action, @Nullable String key, int needed,
			List<? extends CompletionStage<T>> commands, Duration longer) {
		return this.quorum.await(VoteCollector.judge(commands, (answers) -> {
			if (answers.outstanding() > 0) {
				return null;
			}
			List<T> given = answers.given();
			if (given.size() < needed) {
				throw this.quorum.failure(action + ", which " + given.size() + " answered,", key, answers,
						(answer) -> "");
			}
			return given;
		}), longer);
	}

}
