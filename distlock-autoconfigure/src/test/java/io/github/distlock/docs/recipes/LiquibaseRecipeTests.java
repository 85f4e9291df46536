package io.github.distlock.docs.recipes;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.github.distlock.HeldLock;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs the recipe for Liquibase: two nodes start at once, and after a node was killed
 * that had Liquibase's own lock.
 */
class LiquibaseRecipeTests {

	/** How long Liquibase waits for its own lock, in minutes. */
	private static final String WAIT_TIME = "liquibase.changelogLockWaitTimeInMinutes";

	private static RedisTestServer redis;

	private final DriverManagerDataSource database = new DriverManagerDataSource(
			"jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

	private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

	@BeforeAll
	static void startRedis() {
		redis = RedisTestServer.start();
		System.setProperty(WAIT_TIME, "1");
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
		System.clearProperty(WAIT_TIME);
	}

	private RecipeNode start() {
		return RecipeNode.start(redis, (context) -> context.registerBean(DataSource.class, () -> this.database),
				List.of(), LiquibaseConfiguration.class);
	}

	@Test
	void nodesThatStartAtOnceUpdateOneAfterTheOther() {
		List<CompletableFuture<RecipeNode>> nodes = Stream.generate(() -> CompletableFuture.supplyAsync(this::start))
			.limit(3)
			.toList();
		nodes.forEach((node) -> node.join().close());
		assertThat(this.jdbc.queryForObject("select count(*) from databasechangelog", Integer.class)).isEqualTo(1);
		assertThat(this.jdbc.queryForObject("select count(*) from stock", Integer.class)).isZero();
	}

	@Test
	void theLockOfANodeThatWasKilledDoesNotPreventTheStart() {
		start().close();
		this.jdbc.update("update databasechangeloglock set locked = true, lockgranted = current_timestamp,"
				+ " lockedby = 'shop-1'");
		this.jdbc.update("delete from databasechangelog");
		this.jdbc.execute("drop table stock");
		start().close();
		assertThat(this.jdbc.queryForObject("select count(*) from stock", Integer.class)).isZero();
	}

	@Test
	void aNodeWaitsForTheOneThatUpdates() {
		try (RecipeNode first = start()) {
			HeldLock lock = first.lock("liquibase");
			CompletableFuture<RecipeNode> second = CompletableFuture.supplyAsync(this::start);
			await().during(Duration.ofSeconds(1)).until(() -> !second.isDone());
			lock.close();
			second.join().close();
		}
	}

}
