package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The nodes, and how many of them decide. Two majorities have a node in common: all
 * guarantees of this store depend on that node.
 */
final class Quorum {

	/** Drift of clocks that does not depend on the lease; one percent of it is added. */
	private static final Duration FIXED_DRIFT = Duration.ofMillis(2);

	private final List<QuorumNode> nodes;

	private final Duration timeout;

	Quorum(List<? extends QuorumNode> nodes, RedlockSettings settings) {
		this.nodes = List.copyOf(nodes);
		// Nodes have their own time-out. This one is for a node that exceeds it.
		this.timeout = settings.nodeTimeout().multipliedBy(2).plusSeconds(1);
	}

	List<QuorumNode> nodes() {
		return this.nodes;
	}

	QuorumNode node(int index) {
		return this.nodes.get(index);
	}

	int size() {
		return this.nodes.size();
	}

	int majority() {
		return this.nodes.size() / 2 + 1;
	}

	/** Whether the other nodes are too few for a majority. */
	boolean prevents(int count) {
		return count > size() - majority();
	}

	<T> List<CompletableFuture<T>> ask(Function<QuorumNode, CompletionStage<T>> question) {
		List<CompletableFuture<T>> answers = new ArrayList<>(this.nodes.size());
		for (QuorumNode node : this.nodes) {
			answers.add(ask(node, question));
		}
		return answers;
	}

	/**
	 * Send a command to one node. An {@link Error} counts as the answer of this node: the
	 * command may have been sent to other nodes before, and their answers count.
	 */
	static <T> CompletableFuture<T> ask(QuorumNode node, Function<QuorumNode, CompletionStage<T>> question) {
		try {
			return question.apply(node).toCompletableFuture();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Return the first node that would signal a ticket in its queue that the lock is
	 * free. The search begins at another node for each key.
	 * @return the number of the node, or -1
	 */
	int listener(String key) {
		int first = Math.floorMod(key.hashCode(), size());
		for (int i = 0; i < size(); i++) {
			int node = (first + i) % size();
			if (node(node).isListening()) {
				return node;
			}
		}
		return -1;
	}

	/** Wait for a verdict. An interrupt does not end the wait: the flag is kept. */
	<R> R await(CompletableFuture<R> verdict) {
		try {
			return StoreCalls.awaitUninterruptibly(verdict, this.timeout, TimeSource.SYSTEM);
		}
		catch (TimeoutException ex) {
			throw new LockBackendException("The nodes of the lock store did not answer in time", ex);
		}
		catch (ExecutionException ex) {
			throw VoteCollector.asFailure(ex);
		}
	}

	/**
	 * Find out whether a majority of the nodes can be reached and counts.
	 * @param oldEnough how long a node must have been up to count
	 */
	void verify(Duration oldEnough) {
		await(VoteCollector.judge(ask(QuorumNode::probe), (answers) -> {
			if (answers.count((time) -> time.uptime().compareTo(oldEnough) >= 0) >= majority()) {
				return true;
			}
			if (answers.outstanding() == 0) {
				throw failure("test of the store", null, answers,
						(time) -> (time.uptime().compareTo(oldEnough) < 0) ? "does not count before it has been up for "
								+ oldEnough + " (distlock.redlock.longest-lease), up for " + time.uptime() : "");
			}
			return null;
		}));
	}

	/**
	 * Return a lease as this JVM may count it, since the clocks of the nodes may run a
	 * little faster.
	 */
	static Duration withoutDrift(Duration lease) {
		return lease.minus(lease.dividedBy(100)).minus(FIXED_DRIFT);
	}

	/** Return the exception for too few nodes that have answered and count. */
	<T> LockBackendException failure(String action, @Nullable String key, VoteCollector<T> answers,
			Function<T, String> objection) {
		String details = IntStream.range(0, size()).mapToObj((i) -> {
			LockBackendException failure = answers.failure(i);
			T answer = answers.of(i);
			String detail = (failure != null) ? String.valueOf(failure.getMessage())
					: (answer != null) ? objection.apply(answer) : "no answer yet";
			// Most failures name their node.
			return (detail.isEmpty() || detail.contains(node(i).name())) ? detail : node(i).name() + ": " + detail;
		}).filter((text) -> !text.isEmpty()).collect(Collectors.joining("; "));
		return new LockBackendException(
				"Too few of the " + size() + " lock nodes (distlock.redlock.nodes) could take" + " part in the "
						+ action + ((key != null) ? " of lock '" + key + "'" : "") + ", " + majority() + " are needed: "
						+ details,
				IntStream.range(0, size())
					.mapToObj(answers::failure)
					.filter((failure) -> failure != null)
					.findFirst()
					.orElse(null));
	}

}
