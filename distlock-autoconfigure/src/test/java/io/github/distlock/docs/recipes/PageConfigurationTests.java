package io.github.distlock.docs.recipes;

import java.io.File;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockJdbcAutoConfiguration;
import io.github.distlock.docs.PageCode;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs the configurations of other pages: a Redis of their own for locks, a service
 * connection, a pool for locks beside the DataSource that Spring Boot configures,
 * components of Spring Integration, and the application of the page about leader election
 * in two JVMs.
 */
@ExtendWith(OutputCaptureExtension.class)
class PageConfigurationTests {

	private static Class<?> code(String page, String name) {
		return PageCode.of(List.of(page)).type(name);
	}

	@Test
	void locksAreInTheirOwnRedisAndTheApplicationStaysInThatOfSpringBoot() {
		try (RedisTestServer application = RedisTestServer.start();
				RedisTestServer locks = RedisTestServer.start();
				RecipeNode node = RecipeNode.start(application, List.of(),
						List.of("distlock.redis.connection-factory=lockRedis", "lock-redis.host=127.0.0.1",
								"lock-redis.port=" + locks.port()),
						code("docs/redis-operations.md", "LockRedisConfiguration"));
				HeldLock held = node.bean(LockRegistry.class)
					.acquire(LockRequest.of("own").waitTime(Duration.ofSeconds(30)))) {
			node.bean(StringRedisTemplate.class).opsForValue().set("value", "of the application");
			assertThat(held.isHeld()).isTrue();
			assertThat(locks.process().ask("KEYS", "*")).asString().contains("{own}").doesNotContain("value");
			assertThat(application.process().ask("KEYS", "*")).asString().isEqualTo("[value]");
		}
	}

	@Test
	void theApplicationKeepsItsDataSourceAndTheLocksGetAPoolOfTheirOwn(CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, DistlockAutoConfiguration.class,
					DistlockJdbcAutoConfiguration.class))
			.withUserConfiguration(code("docs/stores-jdbc.md", "LockPoolConfiguration"))
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
					"spring.datasource.type=" + SimpleDriverDataSource.class.getName(), "distlock.backend=jdbc",
					"distlock.jdbc.data-source=lockDataSource", "distlock.fail-fast=true")
			.run((started) -> {
				assertThat(started).hasNotFailed().hasBean("lockDataSource");
				DataSource application = started.getBean(DataSource.class);
				assertThat(application).isNotInstanceOf(HikariDataSource.class);
				try (HeldLock lock = started.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"))) {
					assertThat(new JdbcTemplate(application).queryForObject("SELECT COUNT(*) FROM distlock_lock",
							Integer.class))
						.isOne();
				}
				assertThat(flushed(output)).doesNotContain("come to a standstill");
			});
	}

	@Test
	void locksAreInTheServerOfTheServiceConnection() {
		try (RedisTestServer properties = RedisTestServer.start();
				RedisTestServer container = RedisTestServer.start();
				RecipeNode node = RecipeNode.start(properties,
						(context) -> context.registerBean(DataRedisConnectionDetails.class, () -> details(container)),
						List.of());
				HeldLock held = node.bean(LockRegistry.class)
					.acquire(LockRequest.of("own").waitTime(Duration.ofSeconds(30)))) {
			assertThat(held.isHeld()).isTrue();
			assertThat(container.process().ask("KEYS", "*")).asString().contains("{own}");
			assertThat(properties.process().ask("KEYS", "*")).asString().isEqualTo("[]");
		}
	}

	private static DataRedisConnectionDetails details(RedisTestServer server) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of("127.0.0.1", server.port());
			}

		};
	}

	private static RecipeNode integrating(RedisTestServer redis) {
		return RecipeNode.start(redis, List.of(), List.of(), code("docs/migration.md", "integrationLocks"));
	}

	@Test
	void oneOfTwoNodesIsTheLeader() throws Exception {
		try (RedisTestServer redis = RedisTestServer.start();
				RecipeNode one = integrating(redis);
				RecipeNode two = integrating(redis)) {
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
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
				node.bean(org.springframework.integration.support.locks.LockRegistry.class), candidate);
		initiator.setHeartBeatMillis(100);
		initiator.setBusyWaitMillis(100);
		return initiator;
	}

	private static final String LEADER_ELECTION = "docs/leader-election.md";

	private static final String APPLICATION = "pages.docs_leader_election.com.example.jobs.JobsApplication";

	@Test
	void aPausedLeaderStepsDownWhenItContinuesAndTheOtherOneLeadsInALaterTerm() throws Exception {
		String classes = code(LEADER_ELECTION, "JobsApplication").getProtectionDomain()
			.getCodeSource()
			.getLocation()
			.getPath();
		try (RedisTestServer redis = RedisTestServer.start(); ChildJvm first = start(classes, redis)) {
			long firstTerm = term(first);
			long secondTerm;
			try (ChildJvm second = start(classes, redis)) {
				first.pause();
				secondTerm = term(second);
				assertThat(secondTerm).isGreaterThan(firstTerm);
				first.resume();
				first.expect("No longer leads");
			}
			assertThat(term(first)).as("after the other one was killed").isGreaterThan(secondTerm);
		}
	}

	private static long term(ChildJvm instance) {
		return Long.parseLong(instance.expect("Leads in term "));
	}

	private static ChildJvm start(String classes, RedisTestServer redis) {
		return ChildJvm.start(List.of("-cp", classes + File.pathSeparator + System.getProperty("java.class.path")),
				Instance.class, "--spring.data.redis.port=" + redis.port(), "--distlock.lease-time=5s",
				"--spring.main.web-application-type=none", "--logging.pattern.console=%m%n");
	}

	/** Starts the application of the page. */
	static final class Instance {

		public static void main(String[] arguments) throws Exception {
			PrintStream out = System.out;
			out.println("started");
			Class.forName(APPLICATION).getMethod("main", String[].class).invoke(null, (Object) arguments);
		}

	}

}
