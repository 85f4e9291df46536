package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import org.jspecify.annotations.Nullable;

/**
 * The nodes, and how many of them decide. Two majorities have a node in common: all that
 * this store promises rests on that node.
 */
final class Quorum {

	private final List<QuorumNode> nodes;

	private final long patienceMillis;

	Quorum(List<? extends QuorumNode> nodes, RedlockSettings settings) {
		this.nodes = List.copyOf(nodes);
		// Nodes keep their own time-out. This is for one that breaks its word.
		this.patienceMillis = settings.nodeTimeout().toMillis() * 2 + 1000;
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

	/** Whether the others are too few for a majority. */
	boolean prevents(int count) {
		return count > size() - majority();
	}

	<T> List<CompletableFuture<T>> ask(Function<QuorumNode, CompletionStage<T>> question) {
		return this.nodes.stream().map((node) -> ask(node, question)).toList();
	}

	/**
	 * An Error at one node is its answer: the other nodes may have been asked before, and
	 * their answers count.
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
	 * The first node, beginning at another one for each key, that would tell a ticket in
	 * its queue that the lock is free.
	 * @return its number, or -1
	 */
	int listener(String key) {
		int first = Math.floorMod(key.hashCode(), size());
		return IntStream.range(0, size())
			.map((i) -> (first + i) % size())
			.filter((i) -> node(i).isListening())
			.findFirst()
			.orElse(-1);
	}

	/** Wait for a verdict, whatever interrupts this thread: its flag is kept. */
	<R> R await(CompletableFuture<R> verdict) {
		try {
			return verdict.orTimeout(this.patienceMillis, TimeUnit.MILLISECONDS).join();
		}
		catch (CompletionException ex) {
			if (StoreCalls.unwrap(ex) instanceof TimeoutException) {
				throw new LockBackendException("The nodes of the lock store did not answer in time", ex);
			}
			throw VoteCollector.asFailure(ex);
		}
	}

	/**
	 * Find out whether a majority of the nodes can be reached and counts.
	 * @param oldEnough how long a node must have been up to count
	 */
	void verify(Duration oldEnough) {
		await(VoteCollector.judge(ask(QuorumNode::probe), (answers) -> {
			if (answers.count((uptime) -> uptime.compareTo(oldEnough) >= 0) >= majority()) {
				return true;
			}
			if (answers.outstanding() == 0) {
				throw failure("test of the store", null, answers,
						(uptime) -> (uptime.compareTo(oldEnough) < 0) ? "does not count before it has been up for "
								+ oldEnough + " (distlock.redlock.longest-lease), up for " + uptime : "");
			}
			return null;
		}));
	}

	/** Too few nodes have answered, or count. */
	<T> LockBackendException failure(String what, @Nullable String key, VoteCollector<T> answers,
			Function<T, String> objection) {
		String details = IntStream.range(0, size()).mapToObj((i) -> {
			LockBackendException failure = answers.failure(i);
			T answer = answers.of(i);
			String said = (failure != null) ? String.valueOf(failure.getMessage())
					: (answer != null) ? objection.apply(answer) : "no answer yet";
			// A failure names its node mostly.
			return (said.isEmpty() || said.contains(node(i).name())) ? said : node(i).name() + ": " + said;
		}).filter((text) -> !text.isEmpty()).collect(Collectors.joining("; "));
		return new LockBackendException(
				"Too few of the " + size() + " lock nodes (distlock.redlock.nodes) could take" + " part in the " + what
						+ ((key != null) ? " of lock '" + key + "'" : "") + ", " + majority() + " are needed: "
						+ details,
				IntStream.range(0, size())
					.mapToObj(answers::failure)
					.filter((failure) -> failure != null)
					.findFirst()
					.orElse(null));
	}

}
