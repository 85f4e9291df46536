package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redlock.QuorumNode.NodeEvents;
import io.github.distlock.backend.redlock.QuorumNode.NodeVerb;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.LoggedProblems;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisException;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.aop.target.SimpleBeanTargetSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static io.github.distlock.testing.FlushedLog.flushed;
import static io.github.distlock.testing.RedisTestServer.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Dedicated connections beside those of the application, which may break or block the
 * driver. A clean shutdown logs nothing.
 */
@ExtendWith(OutputCaptureExtension.class)
class LettuceConnectionsTests extends OnRedis {

	/** As in a cluster before a new connection to a node is active. */
	@Test
	void aCommandThatTheDriverRejectedUnsentIsSentAgainAFewTimes() {
		LettuceConnections connections = new LettuceConnections(
				new RedisStandaloneConfiguration("127.0.0.1", server.port()),
				LettuceClientConfiguration.defaultConfiguration(), false, Duration.ofSeconds(10),
				LockInstance.of("again"));
		AtomicInteger rejections = new AtomicInteger();
		Supplier<CompletionStage<@Nullable String>> command = () -> (rejections.getAndDecrement() > 0)
				? CompletableFuture.failedFuture(new RedisException("Currently not connected. Commands are rejected."))
				: connections.commands().thenCompose((commands) -> commands.execute("PING"));
		rejections.set(3);
		assertThat(connections.repeated(command.get(), command, 2)).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withMessageContaining("Commands are rejected");
		rejections.set(2);
		assertThat(connections.repeated(command.get(), command, 2)).succeedsWithin(Duration.ofMinutes(1))
			.isEqualTo("PONG");
		connections.close();
	}

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
	void aStaticMasterIsTheServerThatIsUsedAndNamedAlsoBehindAClassBasedProxy() {
		LettuceConnectionFactory application = started(
				new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("127.0.0.1", server.port())));
		for (LettuceConnectionFactory each : List.of(application, RedisTestServer.advised(application))) {
			assertThat(uses(each)).isEqualTo("Redis master among 127.0.0.1:" + server.port());
		}
		application.destroy();
	}

	@Test
	void behindAProxyOfEachKindTheSameServerIsUsedOnConnectionsOfTheLocks(CapturedOutput output) {
		SimpleBeanTargetSource scope = new SimpleBeanTargetSource();
		scope.setTargetBeanName("scopedTarget.factory");
		scope.setBeanFactory(
				new StaticListableBeanFactory(Map.of("scopedTarget.factory", RedisTestServer.advised(connections))));
		List<RedisConnectionFactory> proxies = List.of(RedisTestServer.advised(connections),
				wrap(connections, RedisConnectionFactory.class, MethodInvocation::proceed),
				ProxyFactory.getProxy(RedisConnectionFactory.class, scope),
				(RedisConnectionFactory) ProxyFactory.getProxy(scope));
		for (RedisConnectionFactory proxy : proxies) {
			assertThat(uses(proxy)).isEqualTo("Redis at 127.0.0.1:" + server.port());
			LockStore store = open(backend(proxy), "proxied");
			assertThat(store.keepsOrder()).isTrue();
			store.close();
		}
		assertThat(flushed(output)).doesNotContain("Lock commands share");
	}

	@Test
	void aSubclassDecidesWhereItLeadsAndItsConnectionsAreShared(CapturedOutput output) {
		LettuceConnectionFactory application = started(new LettuceConnectionFactory("nowhere.invalid", 1) {

			@Override
			public String getHostName() {
				return "127.0.0.1";
			}

			@Override
			public int getPort() {
				return server.port();
			}

		});
		assertThat(uses(application)).startsWith("Redis behind the ");
		assertThat(flushed(output)).contains("Lock commands share the application's connections to Redis behind the ")
			.contains("slow commands delay renewals, and locks can be lost")
			.contains("Define a LettuceConnectionFactory @Bean(defaultCandidate = false) and name it in"
					+ " distlock.redis.connection-factory, or set distlock.redis.dedicated-connection=false");
		application.destroy();
	}

	@Test
	void theDatabaseIsNamed() {
		RedisStandaloneConfiguration second = new RedisStandaloneConfiguration("127.0.0.1", server.port());
		second.setDatabase(2);
		LettuceConnectionFactory application = started(new LettuceConnectionFactory(second));
		assertThat(uses(application)).isEqualTo("Redis at 127.0.0.1:" + server.port() + ", database 2");
		application.destroy();
	}

	@Test
	void theServerOfJedisIsNamedAlsoBehindAProxyAndItsInboxIsChecked(CapturedOutput output) {
		JedisConnectionFactory jedis = started(jedis(server.port()));
		RedisConnectionFactory proxy = wrap(jedis, RedisConnectionFactory.class, MethodInvocation::proceed);
		assertThat(uses(proxy)).isEqualTo("Redis at 127.0.0.1:" + server.port());
		assertThat(flushed(output))
			.contains("Lock commands share the application's connections to Redis at 127.0.0.1:");
		LockStore store = open(backend(proxy), "me");
		long probes = server.process().calls("publish");
		Awaitility.await().until(() -> server.process().calls("publish") > probes);
		store.close();
		jedis.destroy();
	}

	@Test
	void aConnectionFactoryThatIsRefreshedAndLeadsToAnotherServerIsOneError(CapturedOutput output) {
		try (RedisTestServer other = RedisTestServer.start()) {
			HotSwappableTargetSource refreshed = new HotSwappableTargetSource(connections);
			LockStore store = open(backend((RedisConnectionFactory) ProxyFactory.getProxy(refreshed)), "me");
			store.verify();
			refreshed.swap(other.connectionFactory());
			String error = "The connection factory of the application leads to Redis at 127.0.0.1:" + other.port()
					+ " now, and this JVM keeps its locks in Redis at 127.0.0.1:" + server.port()
					+ ". JVMs with locks in different servers do not exclude each other: restart all of them";
			Awaitility.await().untilAsserted(() -> assertThat(flushed(output)).contains(error));
			Awaitility.await()
				.during(Duration.ofSeconds(2))
				.untilAsserted(() -> assertThat(flushed(output))
					.containsOnlyOnce("The connection factory of the application"));
			assertThat(store.location()).startsWith("Redis at 127.0.0.1:" + server.port());
			store.close();
		}
	}

	@Test
	void aConnectionFactoryThatIsConfiguredAnewIsAnErrorAndSharedConnectionsFollowIt(CapturedOutput output) {
		try (RedisTestServer other = RedisTestServer.start()) {
			RedisStandaloneConfiguration address = new RedisStandaloneConfiguration("127.0.0.1", server.port());
			LettuceConnectionFactory application = started(new LettuceConnectionFactory(address));
			LockStore store = open(backend(application), "copied");
			LockStore shared = open(sharing(application), "shared");
			store.verify();
			shared.verify();
			application.stop();
			address.setPort(other.port());
			application.start();
			for (String effect : List.of("keeps", "loses")) {
				// The thread that compares may wait for two lost messages first.
				Awaitility.await()
					.atMost(TIMEOUT.multipliedBy(3))
					.untilAsserted(() -> assertThat(flushed(output))
						.containsOnlyOnce("leads to Redis at 127.0.0.1:" + other.port() + " now, and this JVM " + effect
								+ " its locks in Redis at 127.0.0.1:" + server.port()));
			}
			assertThat(store.location()).startsWith("Redis at 127.0.0.1:" + server.port());
			assertThat(shared.location()).startsWith("Redis at 127.0.0.1:" + other.port());
			store.close();
			shared.close();
			application.destroy();
		}
	}

	/** Return the name of the server, to which a lock and the inbox really go. */
	private String uses(RedisConnectionFactory application) {
		LockStore store = open(backend(application), "used");
		long scripts = server.process().calls("publish");
		store.verify();
		assertThat(server.process().calls("publish")).isGreaterThan(scripts);
		assertThat(attempt(store)).isInstanceOf(Grant.class);
		Answers.of(store.release(ticket("key", 1), 0, null));
		store.close();
		return store.location().replace(", prefix 'distlock:'", "");
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
		LockStore store = open(sharing(wrapped), "other");
		Awaitility.await().until(() -> subscriptions.get() > 0);
		Awaitility.await().during(Duration.ofSeconds(2)).until(() -> subscriptions.get() == 1);
		store.close();
	}

	private static LettuceConnectionFactory application(int port, LettuceClientConfigurationBuilder client) {
		return started(
				new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port), client.build()));
	}

	private static AttemptResult attempt(LockStore store) {
		return Answers.of(store.attempt(ticket("key", 1), Duration.ofSeconds(30), true));
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
	void theTestOfTheStoreEndsIfTheApplicationNeverAnswersWithCredentials() throws Exception {
		for (boolean dedicated : new boolean[] { true, false }) {
			CompletableFuture<RedisCredentials> credentials = new CompletableFuture<>();
			LettuceConnectionFactory application = application(server.port(), LettuceClientConfiguration.builder()
				.redisCredentialsProviderFactory(always(() -> Mono.fromFuture(credentials))));
			LockStore store = open(new RedisLockBackend(application,
					new RedisBackendSettings("distlock:", Duration.ofSeconds(1), dedicated, 17), TimeSource.SYSTEM),
					"me");
			FutureTask<Boolean> test = new FutureTask<>(store::verify, true);
			new Thread(test, "caller").start();
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> test.get(60, TimeUnit.SECONDS))
				.withMessageContaining("Redis at 127.0.0.1:" + server.port() + " did not answer in time");
			credentials.complete(RedisCredentials.just(null, ""));
			store.close();
			application.destroy();
		}
	}

	@Test
	void aConnectionThatIsResetIsNotUsedAgain() throws Exception {
		LettuceConnections dedicated = like(connections, TIMEOUT);
		RedisCommands before = dedicated.commands().get();
		assertThat(dedicated.commands().get()).isSameAs(before);
		dedicated.reset();
		assertThat(dedicated.commands().get()).isNotSameAs(before);
		assertThat(before.execute("PING")).failsWithin(TIMEOUT);
		assertThat(dedicated.commands().get().execute("PING")).succeedsWithin(TIMEOUT);
		dedicated.close();
	}

	/**
	 * The second thread is paused between its look at the last attempt and the next step.
	 */
	@Test
	void aThreadThatIsPausedWhileAnotherOneBeginsToConnectWaitsForTheSameConnection() throws Exception {
		CompletableFuture<RedisCredentials> credentials = new CompletableFuture<>();
		AtomicReference<LettuceConnections> dedicated = new AtomicReference<>();
		AtomicReference<CompletableFuture<LettuceCommands>> first = new AtomicReference<>();
		HashedWheelTimer timer = timer(() -> {
			LettuceConnections paused = dedicated.getAndSet(null);
			if (paused != null) {
				first.set(paused.commands());
			}
		});
		ClientResources resources = DefaultClientResources.builder().timer(timer).build();
		LettuceConnections connecting = connecting(resources, () -> Mono.just(credentials.join()),
				Duration.ofSeconds(30));
		dedicated.set(connecting);
		CompletableFuture<LettuceCommands> second = connecting.commands();
		assertThat(second).isSameAs(first.get()).isNotDone();
		credentials.complete(RedisCredentials.just(null, ""));
		assertThat(second.get(30, TimeUnit.SECONDS).execute("PING")).succeedsWithin(Duration.ofSeconds(30));
		close(connecting, resources, timer);
	}

	@Test
	void whileAThreadIsStillInsideTheDriverAfterItsTimeCommandsFailAtOnceAndLaterTheNextOneConnects() {
		CompletableFuture<RedisCredentials> credentials = new CompletableFuture<>();
		ClientResources resources = DefaultClientResources.create();
		LettuceConnections dedicated = connecting(resources, () -> Mono.just(credentials.join()),
				Duration.ofMillis(500));
		assertThat(dedicated.commands()).failsWithin(Duration.ofSeconds(30));
		assertThat(dedicated.commands()).isCompletedExceptionally();
		credentials.complete(RedisCredentials.just(null, ""));
		Awaitility.await().ignoreExceptions().until(() -> dedicated.commands().get() != null);
		dedicated.close();
		resources.shutdown(0, 0, TimeUnit.SECONDS);
	}

	@Test
	void aCommandWaitsUntilTheDriverHasConnectedAgainOrTheConnectionIsReset() throws Exception {
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			LettuceConnectionFactory application = RedisTestServer.connectionFactory(proxy.port());
			LettuceConnections dedicated = like(application, Duration.ofMinutes(2));
			AtomicInteger connected = new AtomicInteger();
			dedicated.onDisconnect((ofInbox) -> {
			}, connected::incrementAndGet);
			dedicated.commands().get().execute("PING").toCompletableFuture().get();
			proxy.refuse(true);
			CompletableFuture<LettuceCommands> commands = waiting(dedicated);
			assertThat(connected).hasValue(0);
			proxy.refuse(false);
			assertThat(commands.get(30, TimeUnit.SECONDS).execute("PING")).succeedsWithin(Duration.ofSeconds(30));
			Awaitility.await().until(() -> connected.get() == 1);
			proxy.refuse(true);
			CompletableFuture<LettuceCommands> reset = waiting(dedicated);
			dedicated.reset();
			assertThat(reset).isCompletedExceptionally();
			proxy.refuse(false);
			Awaitility.await().ignoreExceptions().until(() -> dedicated.commands().get() != null);
			Awaitility.await().until(() -> connected.get() == 2);
			dedicated.close();
			application.destroy();
		}
	}

	private static CompletableFuture<LettuceCommands> waiting(LettuceConnections dedicated) {
		return Awaitility.await().until(dedicated::commands, (commands) -> !commands.isDone());
	}

	@Test
	void whatComesTooLateEndsOnAThreadThatMaySendCommands() throws Exception {
		LettuceConnections dedicated = like(connections, Duration.ofMillis(50));
		CompletableFuture<String> thread = dedicated.limit(new CompletableFuture<String>())
			.exceptionally((failure) -> Thread.currentThread().getName());
		assertThat(thread.get(30, TimeUnit.SECONDS)).contains("eventExecutorLoop");
		dedicated.close();
	}

	@Test
	void anErrorBeforeAnAttemptToConnectIsLimitedLeavesNoAttemptThatDoesNotEnd() {
		AtomicInteger errors = new AtomicInteger();
		HashedWheelTimer timer = timer(() -> {
			if (errors.getAndSet(0) > 0) {
				throw new OutOfMemoryError("injected");
			}
		});
		ClientResources resources = DefaultClientResources.builder().timer(timer).build();
		CompletableFuture<RedisCredentials> credentials = new CompletableFuture<>();
		LettuceConnections dedicated = connecting(resources, () -> Mono.fromFuture(credentials), Duration.ofSeconds(1));
		errors.set(1);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(dedicated::commands);
		assertThat(dedicated.commands()).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(TimeoutException.class);
		credentials.complete(RedisCredentials.just(null, ""));
		close(dedicated, resources, timer);
	}

	private static HashedWheelTimer timer(Runnable beforeEach) {
		return new HashedWheelTimer() {

			@Override
			public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
				beforeEach.run();
				return super.newTimeout(task, delay, unit);
			}

		};
	}

	private static LettuceConnections connecting(ClientResources resources, RedisCredentialsProvider credentials,
			Duration commandTimeout) {
		return new LettuceConnections(new RedisStandaloneConfiguration("127.0.0.1", server.port()),
				LettuceClientConfiguration.builder()
					.clientResources(resources)
					.redisCredentialsProviderFactory(always(credentials))
					.build(),
				true, commandTimeout, LockInstance.of("me"));
	}

	private static void close(LettuceConnections dedicated, ClientResources resources, HashedWheelTimer timer) {
		dedicated.close();
		resources.shutdown(0, 0, TimeUnit.SECONDS);
		timer.stop();
	}

	private static LettuceConnections like(LettuceConnectionFactory application, Duration commandTimeout) {
		RedisConfiguration server = Objects.requireNonNull(ApplicationConnections.of(application).server());
		return new LettuceConnections(server, application.getClientConfiguration(), false, commandTimeout,
				LockInstance.of("me"));
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

	private static final int ROUNDS = 100;

	private static void assertQuiet(LoggedProblems problems, CapturedOutput output) {
		problems.close();
		assertThat(problems.lines()).isEmpty();
		// So the JVM says that a thread has failed.
		assertThat(flushed(output).getErr()).doesNotContain("Exception in thread \"distlock");
	}

	@Test
	void aStoreThatIsStartedAndStoppedAgainAndAgainLogsNothing(CapturedOutput output) {
		try (LoggedProblems problems = new LoggedProblems()) {
			// With the driver's own quiet period, which other tests leave out.
			LettuceConnectionFactory factory = RedisTestServer
				.started(new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", server.port())));
			RedisLockBackend backend = backend(factory);
			for (int i = 0; i < ROUNDS; i++) {
				LockStore store = open(backend, "me");
				// In different states: while it subscribes, and when it has.
				if (i % 2 == 0) {
					Ticket ticket = ticket("key", i);
					assertThat(Answers.of(store.attempt(ticket, Duration.ofSeconds(30), true)))
						.isInstanceOf(Grant.class);
					Answers.of(store.release(ticket, 0, null));
				}
				if (i % 4 == 0) {
					store.verify();
				}
				store.close();
			}
			factory.destroy();
			assertQuiet(problems, output);
		}
	}

	@Test
	void aNodeThatIsStartedAndStoppedAgainAndAgainLogsNothing(CapturedOutput output) throws Exception {
		try (LoggedProblems problems = new LoggedProblems()) {
			ClientResources resources = ClientResources.create();
			RedisQuorumNode node = node(server.port(), resources);
			for (int i = 0; i < ROUNDS; i++) {
				var connected = node.start(LockInstance.of("me"), mock(NodeEvents.class)).toCompletableFuture();
				if (i % 2 == 0) {
					connected.get(30, TimeUnit.SECONDS);
					node.run(NodeVerb.PROBE, List.of()).toCompletableFuture().get(30, TimeUnit.SECONDS);
				}
				node.stop();
			}
			resources.shutdown();
			assertThat(node.isListening()).isFalse();
			assertQuiet(problems, output);
		}
	}

}
