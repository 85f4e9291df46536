package io.github.distlock.docs.recipes;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.aggregator.AggregatingMessageHandler;
import org.springframework.integration.aggregator.DefaultAggregatingMessageGroupProcessor;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs components of Spring Integration with the locks of this library, as
 * {@code docs/migration.md} says.
 */
class IntegrationLockTests {

	private static RecipeNode start(RedisTestServer redis) {
		return RecipeNode.start(redis, (context) -> context.registerBean(Acquired.class), List.of(),
				IntegrationLockConfiguration.class, Aggregation.class);
	}

	private static LockRegistry<?> locks(RecipeNode node) {
		return node.bean(LockRegistry.class);
	}

	@Test
	void anAggregatorWaitsForTheLockOfItsGroup() throws Exception {
		try (RedisTestServer redis = RedisTestServer.start();
				RecipeNode one = start(redis);
				RecipeNode two = start(redis)) {
			AggregatingMessageHandler aggregator = one.bean(AggregatingMessageHandler.class);
			aggregator.handleMessage(part(1));
			HeldLock held = two.lock(lockedBy(one));
			CompletableFuture<Void> second = CompletableFuture.runAsync(() -> aggregator.handleMessage(part(2)));
			await().during(Duration.ofMillis(500)).until(() -> !second.isDone());
			held.close();
			second.get(30, TimeUnit.SECONDS);
			Message<?> group = Objects.requireNonNull(one.bean(QueueChannel.class).receive(0));
			assertThat(group.getPayload()).isEqualTo(List.of("part 1", "part 2"));
		}
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
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(locks(node), candidate);
		initiator.setHeartBeatMillis(100);
		initiator.setBusyWaitMillis(100);
		return initiator;
	}

	private static Message<String> part(int number) {
		return MessageBuilder.withPayload("part " + number)
			.setCorrelationId("group")
			.setSequenceSize(2)
			.setSequenceNumber(number)
			.build();
	}

	private static String lockedBy(RecipeNode node) {
		return node.bean(Acquired.class).keys.get(0);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Aggregation {

		@Bean
		QueueChannel output() {
			return new QueueChannel();
		}

		@Bean
		AggregatingMessageHandler aggregator(QueueChannel output, LockRegistry<?> locks) {
			AggregatingMessageHandler aggregator = new AggregatingMessageHandler(
					new DefaultAggregatingMessageGroupProcessor());
			aggregator.setOutputChannel(output);
			aggregator.setLockRegistry(locks);
			return aggregator;
		}

	}

	static class Acquired implements LockListener {

		final List<String> keys = new CopyOnWriteArrayList<>();

		@Override
		public void onAttempted(Attempted event) {
			if (event.key() != null) {
				this.keys.add(event.key());
			}
		}

	}

}
