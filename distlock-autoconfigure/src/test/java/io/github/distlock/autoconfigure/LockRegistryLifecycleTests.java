package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
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
 * shutdown ends, whatever its locks wait for.
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

	/** Its open store does not close. */
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

}
