package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A Redis server that loses its data while many threads contend for a few locks. The
 * holders cannot exclude those that acquire next, but their locks are reported as lost,
 * tokens still rise, and each wait ends.
 */
class LostDataTests {

	private static final List<RedisNodes> servers = new ArrayList<>();

	private final RecordedEvents events = new RecordedEvents();

	private final long seed = Long.getLong("distlock.seed", System.nanoTime());

	private RedisNodes redis;

	private ContendedRun run;

	@BeforeEach
	void start() {
		this.redis = RedisNodes.start();
		servers.add(this.redis);
		List<BackendLockRegistry> nodes = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			nodes.add(this.redis.node(RedisNodes.settings(Duration.ofSeconds(3)), List.of(this.events)));
		}
		this.run = ContendedRun.start(this.redis, nodes, this.seed);
	}

	@AfterEach
	void stop() {
		this.run.close();
		this.redis.stopNodes();
	}

	@AfterAll
	static void nothingIsLeftInTheStores() {
		try {
			await().atMost(Duration.ofSeconds(30))
				.until(() -> servers.stream().allMatch((server) -> server.keys() == 0));
		}
		finally {
			servers.forEach(RedisNodes::close);
		}
	}

	private void checkThatLossesAreReportedAndOthersContinue() {
		this.run.awaitProgress();
		List<HeldLock> holds = this.run.holds();
		await().atMost(Duration.ofSeconds(20)).until(() -> holds.stream().noneMatch(HeldLock::isHeld));
		assertThat(this.events.lost).as(this.run::toString).containsAll(holds.stream().map(HeldLock::key).toList());
		assertThat(holds)
			.allSatisfy((hold) -> assertThatExceptionOfType(LockLostException.class).isThrownBy(hold::close));
		this.run.awaitProgress();
		this.run.finishWithoutHolds();
		assertThat(this.run.failures()).as(this.run::toString).isEmpty();
	}

	@Test
	void lossesAfterAFlushAreReportedAndTokensStillRise() {
		for (int i = 0; i < 3; i++) {
			this.run.loseData(this.redis::flush);
			this.run.awaitProgress();
		}
		checkThatLossesAreReportedAndOthersContinue();
	}

	@Test
	void lossesAfterARestartWithoutDataAreReportedAndTokensStillRise() {
		this.run.loseData(this.redis::restart);
		checkThatLossesAreReportedAndOthersContinue();
	}

}
