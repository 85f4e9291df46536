package io.github.distlock.docs.recipes;

import java.time.Duration;
import java.util.List;

import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;

import static org.awaitility.Awaitility.await;

/**
 * Runs a component of Spring Integration with the locks of this library, as
 * {@code docs/migration.md} says.
 */
class IntegrationLockTests {

	private static RecipeNode start(RedisTestServer redis) {
		return RecipeNode.start(redis, (context) -> {
		}, List.of(), IntegrationLockConfiguration.class);
	}

	@Test
	void oneOfTwoNodesIsTheLeader() throws Exception {
		try (RedisTestServer redis = RedisTestServer.start();
				RecipeNode one = start(redis);
				RecipeNode two = start(redis)) {
			LockRegistryLeaderInitiator first = initiator(one);
			LockRegistryLeaderInitiator second = initiator(two);
			first.start();
			await().until(() -> first.getContext().isLeader());
			second.start();
			await().during(Duration.ofSeconds(1))
				.until(() -> first.getContext().isLeader() && !second.getContext().isLeader());
			first.stop();
			await().until(() -> second.getContext().isLeader() && !first.getContext().isLeader());
			second.stop();
		}
	}

	private static LockRegistryLeaderInitiator initiator(RecipeNode node) {
		Candidate candidate = new DefaultCandidate();
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(node.bean(LockRegistry.class),
				candidate);
		initiator.setHeartBeatMillis(100);
		initiator.setBusyWaitMillis(100);
		return initiator;
	}

}
