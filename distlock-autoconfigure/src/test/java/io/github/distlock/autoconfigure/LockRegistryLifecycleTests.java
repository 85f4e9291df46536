package io.github.distlock.autoconfigure;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.contract.ForwardingBackend;
import io.github.distlock.testing.RedisTestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * When locks can be acquired while an application starts, pauses and stops, and that its
 * shutdown ends, whatever its locks wait for. Applications whose store cannot be reached,
 * or refuses their commands, do not wait for it when they stop, since no lock is held,
 * and lock as soon as it is available.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockRegistryLifecycleTests {

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	private static final Duration BOUND = Duration.ofSeconds(60);

	private final CompletableFuture<Void> closing = new CompletableFuture<>();

	private final ApplicationContextRunner application = Contexts.withoutRedis()
		.withPropertyValues("distlock.shutdown-grace-period=1s");

	@AfterEach
	void letTheStoreClose() {
		this.closing.complete(null);
	}

	@Test
	void thePhaseIsBetweenTheHoldersOfLocksAndTheConnection() {
		assertThat(LockRegistryLifecycle.PHASE).isLessThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE)
			.isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE)
			.isLessThan(new RedisMessageListenerContainer().getPhase())
			.isLessThan(new ThreadPoolTaskExecutor().getPhase())
			.isLessThan(new ThreadPoolTaskScheduler().getPhase())
			.isGreaterThan(new LettuceConnectionFactory().getPhase());
	}

	@Test
	void beansThatStopWithTheWebServerOrAnExecutorCanStillLock() {
		ConfigurableApplicationContext context = start(Probes.class, Web.class);
		List<String> log = context.getBean(Probes.class).log;
		context.close();
		assertThat(log).containsSubsequence("stop web: locked", "stop executor: locked", "stop below: refused");
	}

	@Test
	void beansCanLockWhileTheyAreInitialized() {
		try (ConfigurableApplicationContext context = start(Early.class)) {
			assertThat(context.getBean(Early.class)).isNotNull();
		}
	}

	@Test
	void aPausedApplicationRefusesLocksAndLosesThoseItHoldsAtItsRestartAndThenLocksAgain() {
		try (ConfigurableApplicationContext context = start(Locks.class)) {
			LockRegistry registry = context.getBean(LockRegistry.class);
			HeldLock held = registry.acquire(LockRequest.of("held-in-the-pause"));
			context.pause();
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> lock(registry));
			context.restart();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
				.extracting(LockLostException::lossCause)
				.isEqualTo(LossCause.REGISTRY_RESTARTED);
			lock(registry);
		}
	}

	@Test
	void aStoreThatNeverClosesIsLeftBehindWithTheReason(CapturedOutput output) {
		this.application.withBean(LockBackend.class, StuckBackend::new).run((context) -> {
			context.getBean(LockRegistry.class).acquire(LockRequest.of("order-1")).close();
			assertThat(CompletableFuture.runAsync(context.getSourceApplicationContext()::close)).succeedsWithin(BOUND);
		});
		assertThat(flushed(output))
			.contains("The locks were not shut down within PT3S (distlock.shutdown-grace-period)");
	}

	@Test
	void aShutdownNamesTheLocksThatItLeavesBehind(CapturedOutput output) {
		this.application.withPropertyValues("distlock.backend=local").run((context) -> {
			HeldLock held = context.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"));
			CompletableFuture.runAsync(context.getSourceApplicationContext()::close).join();
			assertThat(held.isReleased()).isFalse();
		});
		assertThat(flushed(output)).contains("locks that are held in local: [order-1]");
	}

	private static ConfigurableApplicationContext start(Class<?>... sources) {
		return new SpringApplicationBuilder(sources)
			.web(List.of(sources).contains(Web.class) ? WebApplicationType.SERVLET : WebApplicationType.NONE)
			.registerShutdownHook(false)
			.run("--spring.data.redis.port=" + redis.port(), "--server.port=0", "--spring.main.banner-mode=off",
					"--distlock.shutdown-grace-period=100ms");
	}

	private static void lock(LockRegistry registry) {
		registry.acquire(LockRequest.of("start-and-stop")).close();
	}

	/** A bean that tries to acquire a lock when it stops. */
	private static SmartLifecycle probe(String name, int phase, LockRegistry registry, List<String> log) {
		SmartLifecycle probe = mock(SmartLifecycle.class);
		given(probe.isRunning()).willReturn(true);
		given(probe.getPhase()).willReturn(phase);
		willAnswer((call) -> {
			boolean locked = catchThrowableOfType(LockBackendException.class, () -> lock(registry)) == null;
			log.add("stop " + name + ": " + (locked ? "locked" : "refused"));
			call.<Runnable>getArgument(0).run();
			return null;
		}).given(probe).stop(any());
		return probe;
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DistlockRedisAutoConfiguration.class,
			DistlockAutoConfiguration.class, TaskExecutionAutoConfiguration.class })
	static class Locks {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(TomcatServletWebServerAutoConfiguration.class)
	static class Web {

	}

	@Configuration(proxyBeanMethods = false)
	static class Early extends Locks implements InitializingBean {

		private final LockRegistry registry;

		Early(LockRegistry registry) {
			this.registry = registry;
		}

		@Override
		public void afterPropertiesSet() {
			lock(this.registry);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Probes extends Locks {

		final List<String> log = new CopyOnWriteArrayList<>();

		@Bean
		SmartLifecycle web(LockRegistry registry) {
			return probe("web", WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE, registry, this.log);
		}

		@Bean
		SmartLifecycle executor(LockRegistry registry) {
			return probe("executor", ThreadPoolTaskExecutor.DEFAULT_PHASE, registry, this.log);
		}

		@Bean
		SmartLifecycle below(LockRegistry registry) {
			return probe("below", 1, registry, this.log);
		}

	}

	private final class StuckBackend extends ForwardingBackend {

		StuckBackend() {
			super(new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 17, TimeSource.SYSTEM));
		}

		@Override
		public LockStore open(StoreContext context) {
			return new ForwardingStore(super.open(context)) {

				@Override
				public void close() {
					LockRegistryLifecycleTests.this.closing.join();
					super.close();
				}

			};
		}

	}

	/**
	 * Far below the grace period, and below the 15 s after which a ticket that could not
	 * be cancelled is discarded.
	 */
	private static final Duration SOON = Duration.ofSeconds(10);

	private final int port = RedisTestServer.freePort();

	private final ApplicationContextRunner withoutRedis = Contexts.withRedis()
		.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + this.port,
				"distlock.backend-timeout=1s");

	private ApplicationContextRunner grace(String... properties) {
		return this.withoutRedis.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("distlock.shutdown-grace-period=60s", "distlock.backend-timeout=3s")
			.withPropertyValues(properties);
	}

	private static void checkThatItStopsAfterAFailedCall(ApplicationContextRunner application) {
		checkAfterAFailedCall(application, ConfigurableApplicationContext::close);
	}

	private static void checkAfterAFailedCall(ApplicationContextRunner application,
			Consumer<ConfigurableApplicationContext> stop) {
		application.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("order-1").waitTime(Duration.ofSeconds(1))));
			assertThat(CompletableFuture.runAsync(() -> stop.accept(context.getSourceApplicationContext())))
				.succeedsWithin(SOON);
		});
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "the connection is refused, distlock.backend=redis",
			"the host is unknown, spring.data.redis.host=no-such-host.invalid",
			"ZooKeeper is away, distlock.backend=zookeeper distlock.zookeeper.connect-string=127.0.0.1:1",
			"the table of the database is missing, distlock.backend=jdbc distlock.jdbc.initialize-schema=never"
					+ " spring.datasource.url=jdbc:h2:mem:without-table" })
	void whileItsStoreIsAway(String reason, String properties) {
		checkThatItStopsAfterAFailedCall(grace(properties.split(" ")));
	}

	@Test
	void whileTheConnectionIsRefusedAndTheContextIsPaused() {
		checkAfterAFailedCall(grace(), ConfigurableApplicationContext::pause);
	}

	@Test
	void whileThePasswordIsWrong() {
		try (RedisTestServer server = RedisTestServer.start()) {
			checkThatItStopsAfterAFailedCall(
					grace("spring.data.redis.port=" + server.port(), "spring.data.redis.username=default",
							"spring.data.redis.password=wrong", "spring.data.redis.client-type=lettuce")
						.withInitializer((context) -> server.process().ask("CONFIG", "SET", "requirepass", "right")));
		}
	}

	@Test
	void whileTheServerAnswersThatThisIsNotPermitted() {
		try (RedisTestServer server = RedisTestServer.start()) {
			server.process().ask("ACL", "SETUSER", "limited", "on", ">pw", "~other:*", "&*", "+@all");
			checkThatItStopsAfterAFailedCall(grace("spring.data.redis.port=" + server.port(),
					"spring.data.redis.username=limited", "spring.data.redis.password=pw"));
		}
	}

	@Test
	void theStackTraceOfAFailedCallSaysEverythingOnce() {
		this.withoutRedis.run((context) -> {
			assertThat(context).hasNotFailed();
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockBackendException blocking = catchThrowableOfType(LockBackendException.class,
					() -> registry.acquire(LockRequest.of("order-1")));
			CompletionException asynchronous = catchThrowableOfType(CompletionException.class,
					() -> registry.acquireAsync(LockRequest.of("order-2")).join());
			for (Throwable failure : new Throwable[] { blocking, asynchronous.getCause() }) {
				StringWriter trace = new StringWriter();
				failure.printStackTrace(new PrintWriter(trace));
				assertThat(trace.toString()).containsOnlyOnce(failure.getMessage())
					.contains("Caused by: ", "Connection refused");
			}
		});
	}

	@Test
	void itLocksAsSoonAsRedisIsAvailable() {
		this.withoutRedis.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			try (RedisTestServer redis = RedisTestServer.start(this.port)) {
				Awaitility.await()
					.atMost(Duration.ofSeconds(20))
					.ignoreException(LockBackendException.class)
					.untilAsserted(() -> registry.acquire(LockRequest.of("order-1")).close());
				assertThat(redis.port()).isEqualTo(this.port);
			}
		});
	}

}
