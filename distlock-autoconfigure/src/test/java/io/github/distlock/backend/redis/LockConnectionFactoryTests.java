package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

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
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Dedicated connections of an application that breaks or blocks the driver.
 */
class LockConnectionFactoryTests {

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
		return LockNodes.backend(application).open(new StoreContext("me", new NoSignals()));
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
		assertThatExceptionOfType(NoClassDefFoundError.class).isThrownBy(() -> attempt(store)).isSameAs(missing);
		store.close();
		application.destroy();
	}

	@Test
	void aStoreIsClosedAlthoughItsCredentialsAreNeverAnswered() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		RedisCredentialsProvider credentials = () -> Mono.<RedisCredentials>never()
			.doOnSubscribe((any) -> asked.countDown());
		LettuceConnectionFactory application = application(
				LettuceClientConfiguration.builder().redisCredentialsProviderFactory(always(credentials)));
		LockStore store = open(application);
		FutureTask<?> attempt = new FutureTask<>(() -> attempt(store), null);
		new Thread(attempt, "caller").start();
		assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
		CompletableFuture.runAsync(store::close).get(30, TimeUnit.SECONDS);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> attempt.get(30, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockBackendException.class);
		application.destroy();
	}

	@Test
	void aStoreIsClosedAlthoughTheApplicationBlocksTheThreadsOfTheDriver() throws Exception {
		Set<Channel> channels = ConcurrentHashMap.newKeySet();
		ClientResources resources = DefaultClientResources.builder().nettyCustomizer(new NettyCustomizer() {

			@Override
			public void afterChannelInitialized(Channel channel) {
				channels.add(channel);
			}

		}).build();
		LettuceConnectionFactory application = application(
				LettuceClientConfiguration.builder().clientResources(resources));
		LockStore store = open(application);
		store.verify();
		CountDownLatch blocked = new CountDownLatch(1);
		channels.forEach((channel) -> channel.eventLoop().submit(() -> blocked.await(60, TimeUnit.SECONDS)));
		try {
			CompletableFuture.runAsync(store::close).get(30, TimeUnit.SECONDS);
		}
		finally {
			blocked.countDown();
		}
		await().until(() -> channels.stream().noneMatch(Channel::isOpen));
		assertThat(channels).isNotEmpty();
		application.destroy();
		resources.shutdown();
	}

	@Test
	void commandsDoNotNeedTheLockOfTheFactory() throws Exception {
		LettuceConnectionFactory application = application(LettuceClientConfiguration.builder());
		RedisConnectionFactory dedicated = Objects
			.requireNonNull(LettuceConnections.dedicated(application, Duration.ofSeconds(5), LockInstance.of("me")));
		dedicated.getConnection().ping();
		Lock lock = (Lock) Objects.requireNonNull(ReflectionTestUtils.getField(dedicated, "lock"));
		// As a StackOverflowError can leave it.
		Thread dead = new Thread(lock::lock);
		dead.start();
		dead.join();
		assertThat(CompletableFuture.supplyAsync(() -> dedicated.getConnection().ping()).get(30, TimeUnit.SECONDS))
			.isEqualTo("PONG");
		application.destroy();
	}

	@Test
	void aConnectionThatIsResetIsNotUsedAgain() {
		LettuceConnectionFactory application = application(LettuceClientConfiguration.builder());
		RedisConnectionFactory dedicated = Objects
			.requireNonNull(LettuceConnections.dedicated(application, Duration.ofSeconds(5), LockInstance.of("me")));
		Object before = dedicated.getConnection().getNativeConnection();
		assertThat(dedicated.getConnection().getNativeConnection()).isSameAs(before);
		LettuceConnections.reset(dedicated);
		assertThat(dedicated.getConnection().ping()).isEqualTo("PONG");
		assertThat(dedicated.getConnection().getNativeConnection()).isNotSameAs(before);
		LettuceConnections.close(dedicated);
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
