package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redlock.QuorumNode.NodeVerb;
import io.github.distlock.testing.StoreNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The store as one JVM uses it, verb by verb.
 */
final class RedlockParticipant extends StoreNode {

	static final Duration LEASE = Duration.ofSeconds(3);

	static final Duration TIMEOUT = Duration.ofSeconds(1);

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

	/** Take a lock at once. */
	Grant take(Ticket ticket, Duration lease) {
		return granted(attempt(ticket, lease, false));
	}

	/** Whether it could take a lock now. */
	boolean takes(Ticket ticket, Duration lease) {
		return attempt(ticket, lease, false) instanceof Grant;
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
