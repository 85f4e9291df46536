package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Dedicated connections beside those of the application, which may break or block the
 * driver.
 */
class LettuceConnectionsTests extends OnRedis {

	@Test
	void theApplicationsConnectionsWorkAfterTheStoreWasClosedAndItCanBeOpenedAgain() {
		ClientResources resources = DefaultClientResources.create();
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			LettuceConnectionFactory application = application(proxy.port(),
					LettuceClientConfiguration.builder().clientResources(resources));
			StringRedisTemplate template = new StringRedisTemplate(application);
			RedisLockBackend backend = backend(application);
			for (int life = 1; life <= 2; life++) {
				LockStore store = open(backend, "life-" + life);
				store.verify();
				store.close();
				template.opsForValue().set("application", "works");
			}
			// The driver's timer is needed to connect again.
			proxy.cut();
			Awaitility.await()
				.ignoreExceptions()
				.until(() -> "works".equals(template.opsForValue().get("application")));
			application.destroy();
		}
		resources.shutdown();
	}

	@Test
	void aStaticMasterIsTheServerThatIsUsed() {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStaticMasterReplicaConfiguration("127.0.0.1", server.port()));
		application.afterPropertiesSet();
		application.start();
		LockStore store = open(backend(application), "master");
		store.verify();
		store.close();
		application.destroy();
	}

	@Test
	void aDriverWhoseSubscribeDoesNotBlockIsSubscribedOnce() {
		AtomicInteger subscriptions = new AtomicInteger();
		RedisConnectionFactory wrapped = wrap(connections, RedisConnectionFactory.class, (call) -> {
			Object result = call.proceed();
			return (result instanceof RedisConnection connection) ? wrap(connection, RedisConnection.class, (inner) -> {
				if (inner.getMethod().getName().equals("subscribe")) {
					subscriptions.incrementAndGet();
				}
				return inner.proceed();
			}) : result;
		});
		LockStore store = new RedisLockBackend(wrapped,
				new RedisBackendSettings("distlock:", Duration.ofSeconds(1), false, 17), TimeSource.SYSTEM)
			.open(new StoreContext(LockInstance.of("other"), this));
		Awaitility.await()
			.during(Duration.ofSeconds(2))
			.atMost(Duration.ofSeconds(5))
			.until(() -> subscriptions.get() <= 1);
		assertThat(subscriptions).hasValue(1);
		store.close();
	}

	@Test
	void noCallerWaitsForAConnectionOfAStoreThatIsClosed() throws Exception {
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			proxy.holdBack(true);
			LettuceConnectionFactory application = RedisTestServer.connectionFactory(proxy.port());
			LockStore store = open(backend(application, Duration.ofMinutes(2), TimeSource.SYSTEM), "me");
			FutureTask<AttemptResult> attempt = new FutureTask<>(() -> attempt(store));
			Thread caller = new Thread(attempt, "caller");
			caller.start();
			Awaitility.await()
				.until(() -> Arrays.stream(caller.getStackTrace())
					.anyMatch((frame) -> frame.getClassName().endsWith("LettuceConnections")));
			CompletableFuture.runAsync(store::close).get(30, TimeUnit.SECONDS);
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> attempt.get(30, TimeUnit.SECONDS))
				.withMessageContaining("The Redis lock store is not running");
			application.destroy();
		}
	}

	private static LettuceConnectionFactory application(int port, LettuceClientConfigurationBuilder client) {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port), client.build());
		application.afterPropertiesSet();
		application.start();
		return application;
	}

	private static AttemptResult attempt(LockStore store) {
		return Answers.of(store.attempt(ticket("key", 1), Duration.ofSeconds(5), AttemptOptions.queue(true)));
	}

	@Test
	void anErrorOfTheDriverReachesTheCallerThatConnects() {
		LinkageError missing = new NoClassDefFoundError("missing");
		RedisCredentialsProvider credentials = () -> {
			throw missing;
		};
		LettuceConnectionFactory application = application(server.port(),
				LettuceClientConfiguration.builder().redisCredentialsProviderFactory(always(credentials)));
		LockStore store = open(backend(application), "me");
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> attempt(store))
			.havingCause()
			.isSameAs(missing);
		store.close();
		application.destroy();
	}

	@Test
	void aConnectionThatIsResetIsNotUsedAgain() throws Exception {
		LettuceConnections dedicated = Objects
			.requireNonNull(LettuceConnections.like(connections, Duration.ofSeconds(5), LockInstance.of("me")));
		RedisCommands before = dedicated.commands();
		assertThat(dedicated.commands()).isSameAs(before);
		dedicated.reset();
		assertThat(dedicated.commands()).isNotSameAs(before);
		assertThat(before.publish(new byte[0], new byte[0])).failsWithin(Duration.ofSeconds(5));
		assertThat(dedicated.commands().publish(new byte[0], new byte[0])).succeedsWithin(Duration.ofSeconds(5));
		dedicated.close();
	}

	private static RedisCredentialsProviderFactory always(RedisCredentialsProvider credentials) {
		return new RedisCredentialsProviderFactory() {

			@Override
			public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
				return credentials;
			}

		};
	}

	private static <T> T wrap(T target, Class<T> type, MethodInterceptor interceptor) {
		ProxyFactory factory = new ProxyFactory();
		factory.setTarget(target);
		factory.addInterface(type);
		factory.addAdvice(interceptor);
		return type.cast(factory.getProxy());
	}

}
