package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.Objects;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.NoSignals;
import io.github.distlock.testing.RedisTestServer;
import io.lettuce.core.RedisCredentialsProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Dedicated connections of an application that breaks or blocks the driver.
 */
class DedicatedConnectionTests {

	private static RedisTestServer server;

	@BeforeAll
	static void startServer() {
		server = RedisTestServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	private static LettuceConnectionFactory application(LettuceClientConfigurationBuilder client) {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", server.port()), client.build());
		application.afterPropertiesSet();
		application.start();
		return application;
	}

	private static LockStore open(LettuceConnectionFactory application) {
		return LockNodes.backend(application).open(new StoreContext(LockInstance.of("me"), new NoSignals()));
	}

	private static void attempt(LockStore store) {
		Answers.of(store.attempt(new Ticket("key", LockMode.EXCLUSIVE, "me", 1, false), Duration.ofSeconds(5),
				AttemptOptions.queue(true)));
	}

	@Test
	void anErrorOfTheDriverReachesTheCallerThatConnects() {
		LinkageError missing = new NoClassDefFoundError("missing");
		RedisCredentialsProvider credentials = () -> {
			throw missing;
		};
		LettuceConnectionFactory application = application(
				LettuceClientConfiguration.builder().redisCredentialsProviderFactory(always(credentials)));
		LockStore store = open(application);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> attempt(store))
			.havingCause()
			.isSameAs(missing);
		store.close();
		application.destroy();
	}

	@Test
	void aConnectionThatIsResetIsNotUsedAgain() throws Exception {
		LettuceConnectionFactory application = application(LettuceClientConfiguration.builder());
		LettuceConnections dedicated = Objects.requireNonNull(
				LettuceConnections.like(application, Duration.ofSeconds(5), LockInstance.of("me")));
		RedisCommands before = dedicated.commands();
		assertThat(dedicated.commands()).isSameAs(before);
		dedicated.reset();
		assertThat(dedicated.commands()).isNotSameAs(before);
		assertThat(before.publish(new byte[0], new byte[0])).failsWithin(Duration.ofSeconds(5));
		assertThat(dedicated.commands().publish(new byte[0], new byte[0])).succeedsWithin(Duration.ofSeconds(5));
		dedicated.close();
		application.destroy();
	}

	private static RedisCredentialsProviderFactory always(RedisCredentialsProvider credentials) {
		return new RedisCredentialsProviderFactory() {

			@Override
			public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
				return credentials;
			}

		};
	}

}
