package io.github.distlock.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When locks can be acquired while an application starts, pauses and stops.
 */
class LockRegistryLifecycleTests {

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

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
	void aPausedApplicationLocksAgainAfterItsRestart() {
		try (ConfigurableApplicationContext context = start(Locks.class)) {
			LockRegistry registry = context.getBean(LockRegistry.class);
			lock(registry);
			context.pause();
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> lock(registry));
			context.restart();
			lock(registry);
		}
	}

	@Test
	void aLockThatIsHeldWhileAnApplicationIsPausedIsLostAtItsRestart() {
		try (ConfigurableApplicationContext context = start(Locks.class)) {
			LockRegistry registry = context.getBean(LockRegistry.class);
			HeldLock held = registry.acquire(LockRequest.of("held-in-the-pause"));
			context.pause();
			context.restart();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
				.extracting(LockLostException::lossCause)
				.isEqualTo(LossCause.REGISTRY_RESTARTED);
			lock(registry);
		}
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
		Probe web(LockRegistry registry) {
			return new Probe("web", WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE, registry, this.log);
		}

		@Bean
		Probe executor(LockRegistry registry) {
			return new Probe("executor", ThreadPoolTaskExecutor.DEFAULT_PHASE, registry, this.log);
		}

		@Bean
		Probe below(LockRegistry registry) {
			return new Probe("below", 1, registry, this.log);
		}

	}

	/**
	 * Tries to acquire a lock when it stops.
	 */
	static class Probe implements SmartLifecycle {

		private final String name;

		private final int phase;

		private final LockRegistry registry;

		private final List<String> log;

		private volatile boolean running;

		Probe(String name, int phase, LockRegistry registry, List<String> log) {
			this.name = name;
			this.phase = phase;
			this.registry = registry;
			this.log = log;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			String result = "locked";
			try {
				lock(this.registry);
			}
			catch (LockBackendException ex) {
				result = "refused";
			}
			this.log.add("stop " + this.name + ": " + result);
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return this.phase;
		}

	}

}
