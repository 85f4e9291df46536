package io.github.distlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Failure reports of applications that cannot start because of the lock configuration.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailedStartTests {

	@Test
	void withoutAStoreOnTheClassPath(CapturedOutput output) {
		ClassLoader withoutRedis = new FilteredClassLoader("org.springframework.data.redis", "io.lettuce");
		start(application(Locks.class).resourceLoader(new DefaultResourceLoader(withoutRedis)));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains(
					"distlock has no lock backend: there is none on the class path, and there is no LockBackend bean.")
			.contains(
					"- add the dependency io.github.distlock:distlock-spring-boot-starter, which includes the Redis client, and set "
							+ "spring.data.redis.host")
			.contains("- define a LockBackend bean of your own")
			.contains("- set distlock.enabled=false to run without locks");
	}

	@Test
	void withoutAConnectionFactory(CapturedOutput output) {
		start(application(Locks.class));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("distlock keeps its locks in Redis, but there is no RedisConnectionFactory bean.")
			.contains("- do not exclude DataRedisAutoConfiguration, and set spring.data.redis.host")
			.contains("- set distlock.enabled=false to run without locks");
	}

	@Test
	void withSeveralConnectionFactoriesAndNoneSelected(CapturedOutput output) {
		start(application(Locks.class, TwoFactories.class));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("there are 2 RedisConnectionFactory beans, and none of them is primary: 'first', 'second'.")
			.contains("Set distlock.redis.connection-factory to one of these names, or mark one of the beans with "
					+ "@Primary.");
	}

	@Test
	void withAConnectionFactoryThatDoesNotExist(CapturedOutput output) {
		start(application(Locks.class, TwoFactories.class), "distlock.redis.connection-factory=thrid");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains(
					"Property 'distlock.redis.connection-factory' is 'thrid', but there is no RedisConnectionFactory bean "
							+ "with that name.")
			.contains("Set it to one of 'first', 'second', or remove it.");
	}

	@Test
	void withAConnectionFactoryThatIsSomethingElse(CapturedOutput output) {
		start(application(Locks.class, Redis.class), "distlock.redis.connection-factory=distlockRegistryLifecycle");
		assertThat(output).contains("is 'distlockRegistryLifecycle', but there is no RedisConnectionFactory bean")
			.contains("Set it to one of 'redisConnectionFactory', or remove it.");
	}

	@Test
	void withAnExecutorThatDoesNotExist(CapturedOutput output) {
		start(application(Locks.class, Local.class, Pool.class), "distlock.backend=local",
				"distlock.aop.executor=exceutor");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Property 'distlock.aop.executor' is 'exceutor': there is no Executor bean with that name")
			.contains("Set it to one of 'pool', or remove the property to use a thread for each call");
	}

	@Test
	void withAnUnknownBackend(CapturedOutput output) {
		start(application(Locks.class, Redis.class), "distlock.backend=etcd");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Property 'distlock.backend' is 'etcd': this version of distlock has no such lock backend.")
			.contains("It was set in \"distlock.backend\" from property source \"commandLineArgs\".")
			.contains(
					"Use one of: redis, redlock, jdbc, zookeeper, local, composite. For any other store, define a LockBackend bean and remove the property.");
	}

	@Test
	void withABackendWhoseClassesAreMissing(CapturedOutput output) {
		ClassLoader withoutCurator = new FilteredClassLoader("org.apache.curator");
		start(application(Locks.class, Redis.class).resourceLoader(new DefaultResourceLoader(withoutCurator)),
				"distlock.backend=zookeeper");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("The lock backend 'zookeeper' is enabled (distlock.backend=zookeeper), but "
					+ "org.apache.curator.framework.CuratorFramework is not on the class path.")
			.contains("- add the dependency org.apache.curator:curator-recipes")
			.contains("- use another backend")
			.contains("- set distlock.enabled=false to run without locks");
	}

	@Test
	void withAnAdditionalBackendWhoseClassesAreMissing(CapturedOutput output) {
		ClassLoader withoutCurator = new FilteredClassLoader("org.apache.curator");
		start(application(Locks.class, Redis.class).resourceLoader(new DefaultResourceLoader(withoutCurator)),
				"distlock.zookeeper.enabled=true");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains(
					"The lock backend 'zookeeper' is enabled (distlock.zookeeper.enabled=true or distlock.composite), but ")
			.contains("- add the dependency org.apache.curator:curator-recipes");
	}

	@Test
	void withAnAutoConfigurationThatWasExcluded(CapturedOutput output) {
		start(application(Locks.class, Redis.class), "distlock.local.enabled=true");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains(
					"The lock backend 'local' is enabled (distlock.local.enabled=true or distlock.composite), but its "
							+ "auto-configuration did not run.")
			.contains("Do not exclude it, or use another backend.");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			redis          | 'redis': it must name two different backends.
			redis,redis    | 'redis,redis': it must name two different backends.
			redis,etcd     | 'redis,etcd': there is no backend 'etcd'.
			redis,composite| 'redis,composite': there is no backend 'composite'.
			""")
	void withACompositeThatCannotWork(String value, String problem, CapturedOutput output) {
		start(application(Locks.class, Redis.class), "distlock.composite=" + value);
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Property 'distlock.composite' is " + problem + " It was set in \"distlock.composite\" from")
			.contains("Name two of these: redis, redlock, jdbc, zookeeper, local.");
	}

	@Test
	void withAnEmptyCompositeAsDefault(CapturedOutput output) {
		start(application(Locks.class, Redis.class), "distlock.backend=composite");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Property 'distlock.composite' is '': it is empty, but distlock.backend is 'composite'.");
	}

	@Test
	void withFailFastAndAnAdditionalRedisThatIsDown(CapturedOutput output) {
		start(application(Locks.class, Local.class, Redis.class), "distlock.backend=local", "distlock.fail-fast=true",
				"distlock.redis.enabled=true", "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=1");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("distlock.fail-fast is true, and the lock store cannot be used: Redis at 127.0.0.1:1.");
	}

	@Test
	void withAPropertyOutOfRange(CapturedOutput output) {
		start(application(Locks.class, Redis.class), "distlock.lease-time=10ms");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Property 'distlock.lease-time' is '10ms': it must be at least 100ms. It was set in "
					+ "\"distlock.lease-time\" from property source \"commandLineArgs\".")
			.contains("Set 100ms or more, since a shorter lease could expire while a command is on its way.");
	}

	@Test
	void withAMalformedDuration(CapturedOutput output) {
		start(application(Locks.class, Redis.class), "distlock.lease-time=soon");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Property: distlock.lease-time")
			.contains("Value: \"soon\"")
			.contains("'soon' is not a valid duration");
	}

	@Test
	void withANumberOfWaitingCallersThatIsNoNumber(CapturedOutput output) {
		start(application(Locks.class, Redis.class), "distlock.max-waiting=many");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Property: distlock.max-waiting")
			.contains("Value: \"many\"");
	}

	@Test
	void withANumberOfWaitingCallersOutOfRange(CapturedOutput output) {
		start(application(Locks.class, Redis.class), "distlock.max-waiting=0");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Property 'distlock.max-waiting' is '0': it must be from 1 to 2147483647. It was set in "
					+ "\"distlock.max-waiting\" from property source \"commandLineArgs\".")
			.contains("Set 1 or more, or remove the property to let any number of callers wait.");
	}

	@Test
	void withAnInvalidLockDefinition(CapturedOutput output) {
		start(application(Locks.class, Redis.class, WrongLock.class));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("A lock of bean 'shop' is invalid:")
			.contains("The lease time of lock")
			.contains("Correct the @DistributedLock annotation or the LockRequest as described.");
	}

	@Test
	void withAMinimumHoldTimeLongerThanTheMaximumHoldTime(CapturedOutput output) {
		start(application(Locks.class, Local.class, MinHold.class), "distlock.backend=local",
				"distlock.max-hold-time=1m");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("@DistributedLock(minHold = PT10M)")
			.contains("is longer than locks of the store 'local' are renewed, PT1M (distlock.max-hold-time)");
	}

	@Test
	void withAKeptLockOfAStoreThatDoesNotKeepLocks(CapturedOutput output) {
		start(application(Locks.class, Local.class, Kept.class), "distlock.backend=local");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("@DistributedLock(keep = PT0.005S)")
			.contains("is not offered by the store 'local', which does not keep locks: leave keep out");
	}

	@Test
	void withFailFastAndARedisThatIsDown(CapturedOutput output) {
		start(application(Locks.class, Redis.class), "distlock.fail-fast=true", "spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=1", "spring.data.redis.password=topsecret");
		assertThat(output)
			.containsOnlyOnce("The test of the lock store failed: Redis at 127.0.0.1:1 does not accept connections");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("distlock.fail-fast is true, and the lock store cannot be used: Redis at 127.0.0.1:1.")
			.contains("Check that the store runs at that address, that this machine can reach it")
			.contains("password are right (spring.data.redis.*).")
			.contains("To start without it, so that only calls that need a lock fail, set distlock.fail-fast=false.")
			.doesNotContain("topsecret");
	}

	private static SpringApplicationBuilder application(Class<?>... sources) {
		return new SpringApplicationBuilder(sources).web(WebApplicationType.NONE).registerShutdownHook(false);
	}

	private static void start(SpringApplicationBuilder application, String... properties) {
		List<String> arguments = new ArrayList<>(List.of("--spring.main.banner-mode=off"));
		for (String property : properties) {
			arguments.add("--" + property);
		}
		assertThatThrownBy(() -> application.run(arguments.toArray(String[]::new)).close())
			.isInstanceOf(Exception.class);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistlockAutoConfiguration.class, DistlockRedisAutoConfiguration.class,
			DistlockAopAutoConfiguration.class })
	static class Locks {

	}

	@Configuration(proxyBeanMethods = false)
	static class Pool {

		@Bean
		Executor pool() {
			return Runnable::run;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DataRedisAutoConfiguration.class)
	static class Redis {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DistlockLocalAutoConfiguration.class)
	static class Local {

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoFactories {

		@Bean
		RedisConnectionFactory first() {
			return new LettuceConnectionFactory("first.example", 1);
		}

		@Bean
		RedisConnectionFactory second() {
			return new LettuceConnectionFactory("second.example", 2);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WrongLock {

		@Bean
		Shop shop() {
			return new Shop();
		}

	}

	static class MinHold {

		@DistributedLock(key = "'k'", minHold = "10m")
		void run() {
		}

	}

	static class Kept {

		@DistributedLock(key = "'k'", keep = "5ms")
		void run() {
		}

	}

	static class Shop {

		@DistributedLock(leaseTime = "10ms")
		void sell() {
		}

	}

}
