package io.github.distlock.sample.strategies;

import java.io.IOException;
import java.util.Map;

import io.github.distlock.sample.TestRedis;
import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.test.audit.AuditLocks;
import io.github.distlock.test.audit.AuditRound;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The audit of the shop, with its fence, and of its strategies, on a real Redis.
 */
@SpringBootTest(classes = NodeApplication.class,
		properties = { "spring.datasource.url=jdbc:h2:mem:audit", "shop.work=0ms" })
@ActiveProfiles("strategies")
@AuditLocks
class AuditedStrategiesTests {

	private static RedisServer redis;

	@Autowired
	private Map<String, StockStrategy> strategies;

	@Autowired
	private UnprotectedStock unprotected;

	@Autowired
	private LockedStock locked;

	@Autowired
	private StockRepository stock;

	@Autowired
	private ApplicationContext context;

	@BeforeAll
	static void startRedis() throws IOException {
		redis = TestRedis.start();
	}

	@DynamicPropertySource
	static void useRedis(DynamicPropertyRegistry properties) {
		properties.add("spring.data.redis.port", () -> redis.ports().get(0));
	}

	@AfterAll
	static void stopRedis() throws IOException {
		redis.stop();
	}

	@Test
	void aStrategyAloneHasNoFinding() {
		assertThat(this.strategies).containsKeys("none", "optimistic", "for-update", "segments", "distributed-lock",
				"redis", "redis-fair");
		this.strategies.forEach((name, strategy) -> {
			this.stock.reset("ticket", 20);
			assertThat(strategy.sell("ticket").accepted()).as(name).isTrue();
			assertThat(strategy.sell("ticket").accepted()).as(name).isTrue();
			assertThat(AuditRound.end(this.context)).as(name).isEmpty();
		});
	}

	@Test
	void noLockBesideDistlockIsOneFindingThatNamesTheFirst() {
		this.stock.reset("ticket", 20);
		this.unprotected.sell("ticket");
		this.locked.sell("ticket");
		assertThat(AuditRound.end(this.context)).singleElement()
			.asString()
			.contains("Table 'stock': no lock covers all writes.", "called by UnprotectedStock.sell (",
					"called by StockService.sell (");
	}

}
