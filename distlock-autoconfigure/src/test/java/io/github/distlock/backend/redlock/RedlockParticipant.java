package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redlock.QuorumNode.NodeVerb;
import io.github.distlock.testing.StoreNode;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The store as one JVM uses it, verb by verb.
 */
final class RedlockParticipant extends StoreNode {

	/** Longer than a machine pauses, as the time-out. No test waits for its end. */
	static final Duration LEASE = Duration.ofSeconds(30);

	/** Of a node, for tests in which none hangs. One that is stopped refuses at once. */
	static final Duration TIMEOUT = Duration.ofSeconds(20);

	static final int TOKENS = 17;

	/** With this lease as the longest. Each node is connected when it returns. */
	RedlockParticipant(List<? extends QuorumNode> nodes, Duration longestLease) {
		super(new RedlockBackend(nodes, new RedlockSettings("distlock:", TIMEOUT, longestLease, TOKENS),
				TimeSource.SYSTEM), new LockInstance(UUID.randomUUID().toString(), "shop", "host-a", 4711L));
		await().ignoreExceptions().until(() -> {
			this.store.verify();
			for (QuorumNode node : nodes) {
				node.run(NodeVerb.PROBE, List.of()).toCompletableFuture().get();
			}
			return true;
		});
	}

	/**
	 * Propose tokens that are far ahead of the clocks. A claim that is late at a node has
	 * the proposed token there, too.
	 */
	void proposeAhead() {
		Quorum quorum = (Quorum) Objects.requireNonNull(ReflectionTestUtils.getField(this.store, "quorum"));
		long ahead = (long) Objects.requireNonNull(ReflectionTestUtils.getField(quorum, "aheadMicros"));
		assertThat(ahead).as("the clocks are known").isNotZero();
		quorum.observe(ahead + TimeUnit.SECONDS.toMicros(10), 0);
	}

	/** Take a lock at once. */
	Grant take(Ticket ticket, Duration lease) {
		return granted(attempt(ticket, lease, false));
	}

	/** Whether it could take a lock now. */
	boolean takes(Ticket ticket, Duration lease) {
		return attempt(ticket, lease, false) instanceof Grant;
	}

	/** Whether it could take a lock now, and the nodes answered. */
	boolean takesOrFails(Ticket ticket, Duration lease) {
		try {
			return takes(ticket, lease);
		}
		catch (LockBackendException ex) {
			return false;
		}
	}

	/** Acquire a lock and release it. */
	long tokenOf(String key) {
		Ticket ticket = ticket(key);
		long token = take(ticket, LEASE).firstToken();
		assertThat(release(ticket, token)).isTrue();
		return token;
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		throw new AssertionError("One node alone grants nothing");
	}

}
