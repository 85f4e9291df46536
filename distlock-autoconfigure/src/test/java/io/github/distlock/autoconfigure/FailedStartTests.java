package io.github.distlock.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.util.StringUtils;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Failure reports of applications that cannot start because of the lock configuration.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailedStartTests {

	private static final String FAILED = "APPLICATION FAILED TO START";

	private static final Map<String, List<Class<?>>> BEANS = Map.of("Redis", List.of(DataRedisAutoConfiguration.class),
			"Local", List.of(DistlockLocalAutoConfiguration.class), "Database",
			List.of(DataSourceAutoConfiguration.class), "Jdbc", List.of(DistlockJdbcAutoConfiguration.class), "Redlock",
			List.of(DistlockRedlockAutoConfiguration.class), "ZooKeeper",
			List.of(DistlockZooKeeperAutoConfiguration.class), "Two",
			List.of(DistlockAutoConfigurationTests.TwoFactories.class), "FinalShop", List.of(FinalShop.class),
			"Unresolved", List.of(Unresolved.class, PropertyPlaceholderAutoConfiguration.class), "Shop",
			List.of(Shop.class));

	/** The beans of the application, and the packages that are missing. */
	@ParameterizedTest(name = "{0}, {1}, {2}")
	@CsvSource(delimiter = '|', quoteCharacter = '~',
			textBlock = """
					Redis |  | backend=etcd | Property: distlock.backend | The following values are valid:
					Redis |  | local.enabled=true | The lock backend 'local' is enabled, but | or the auto-configuration of the backend is excluded.
					Redis |  | composite=redis | Property 'distlock.composite' is 'redis': it must name two different backends. It was set in "distlock.composite" from | For example: redis, zookeeper
					Redis |  | composite=redis,redis | 'redis,redis': it must name two different backends. | For example: redis, zookeeper
					Redis |  | composite=redis,etcd | 'redis,etcd': it must name two different backends. | For example: redis, zookeeper
					Redis |  | composite=redis,composite | 'redis,composite': it must name two different backends. | For example: redis, zookeeper
					Redis |  | composite=redis,transaction | 'redis,transaction': it must name two different backends. | For example: redis, zookeeper
					Redis |  | backend=composite | Property 'distlock.composite' is '': it must name two different backends. | For example: redis, zookeeper
					Redis |  | lease-time=10ms | Property 'distlock.lease-time' is '10ms': it must be at least 100ms. It was set in "distlock.lease-time" from property source "commandLineArgs". | Set 100ms or more, since a shorter lease could expire while a command is on its way.
					Redis |  | lease-time=soon | Property: distlock.lease-time | 'soon' is not a valid duration
					Redis |  | wait-time=-3s | Property 'distlock.wait-time' is '-3s': it is negative. It was set in | Write -1 to wait without a limit
					Redis |  | aop.executor=exceutor | Property 'distlock.aop.executor' is 'exceutor': there is no Executor bean of that name. It was set in | Define an Executor bean of that name.
					 | org.springframework.data.redis,io.lettuce |  | The lock backend 'redis' is enabled, but org.springframework.data.redis.connection.RedisConnectionFactory is not on the class path, or | Add the dependency io.github.distlock:distlock-spring-boot-starter, which includes the Redis client.
					Redis | org.apache.curator | backend=zookeeper | The lock backend 'zookeeper' is enabled, but org.apache.curator.framework.CuratorFramework is not on the class path, or | Add the dependency org.apache.curator:curator-recipes.
					Redis | org.apache.curator | zookeeper.enabled=true | The lock backend 'zookeeper' is enabled, but org.apache.curator.framework.CuratorFramework is not on the class path, or | Add the dependency org.apache.curator:curator-recipes.
					Redlock | io.lettuce | backend=redlock | The lock backend 'redlock' is enabled, but io.lettuce.core.RedisClient is not on the class path, or | which includes Lettuce. Or set distlock.backend to another backend, define a LockBackend bean of your own, or set distlock.enabled=false to run without locks.
					Database,Jdbc | org.springframework.jdbc.core.JdbcOperations | backend=jdbc spring.datasource.url=jdbc:h2:mem:shop | The lock backend 'jdbc' is enabled, but org.springframework.jdbc.core.JdbcOperations is not on the class path, or | Add the dependency
					 |  |  | distlock needs a RedisConnectionFactory bean, but there is none. | Do not exclude DataRedisAutoConfiguration, and set spring.data.redis.host. Or set distlock.enabled=false to run without locks.
					Two |  |  | distlock needs a RedisConnectionFactory bean, but there are several, and none of them is primary: first, second. | Set distlock.redis.connection-factory to one of these names, or mark one of the beans with @Primary.
					Two |  | redis.connection-factory=thrid | Property 'distlock.redis.connection-factory' is 'thrid': there is no RedisConnectionFactory bean of that name. It was set in "distlock.redis.connection-factory" from | Use one of first, second.
					Jdbc |  | backend=jdbc | distlock needs a DataSource bean, but there is none. | Or set distlock.enabled=false to run without locks.
					Database,Jdbc |  | backend=jdbc jdbc.data-source=orders spring.datasource.url=jdbc:h2:mem:shop | Property 'distlock.jdbc.data-source' is 'orders': there is no DataSource bean of that name. | Use one of dataSource.
					Database,Jdbc |  | backend=jdbc jdbc.command-timeout=5s spring.datasource.url=jdbc:h2:mem:oracle;MODE=Oracle | H2 at jdbc:h2:mem:oracle takes an empty text for NULL, so no lock could be released. | Correct this as described. Or set distlock.enabled=false to run without locks.
					ZooKeeper |  | backend=zookeeper | there is neither a CuratorFramework bean nor the property 'distlock.zookeeper.connect-string'. | Set distlock.zookeeper.connect-string, such as zk1:2181,zk2:2181,zk3:2181, or define
					Local,FinalShop |  | backend=local | FailedStartTests$FinalShop.sell() is in a final class, of which Spring can create no class-based proxy. | Make it non-final, in Kotlin with 'open' or the compiler plugin kotlin-spring
					Local,Unresolved |  | backend=local | @DistributedLock(leaseTime = "${shop.lease}") on io.github.distlock.autoconfigure.FailedStartTests$Unresolved.sell() has a placeholder without a value (Could not resolve placeholder 'shop.lease' in value "${shop.lease}") | set the property, or write a default
					Redis,Shop |  |  | FailedStartTests$Shop.sell() has attributes that do not fit. The lease time | Correct the @DistributedLock annotation or the LockRequest as described.
					Local |  | backend=local wait-time=2 | Property 'distlock.wait-time' is '2': it has no unit and would be read as 2 milliseconds. | Write a number with a unit, such as 2ms or 2s
					""")
	void theReportSaysWhatIsWrongAndWhatToDo(@Nullable String beans, @Nullable String missing,
			@Nullable String properties, String description, String action, CapturedOutput output) {
		SpringApplicationBuilder application = application(
				list(beans, ",").flatMap((name) -> Objects.requireNonNull(BEANS.get(name), name).stream()));
		if (missing != null) {
			ClassLoader without = new FilteredClassLoader(missing.split(","));
			application.resourceLoader(new DefaultResourceLoader(without));
		}
		start(application,
				list(properties, " ")
					.map((property) -> property.startsWith("spring.") ? property : "distlock." + property)
					.toArray(String[]::new));
		assertThat(flushed(output)).contains(FAILED, description, action);
	}

	private static Stream<String> list(@Nullable String names, String delimiter) {
		return Arrays.stream(StringUtils.tokenizeToStringArray(names, delimiter));
	}

	@Test
	void withFailFastAndARedisThatIsDown(CapturedOutput output) {
		start(application(Stream.of(DistlockLocalAutoConfiguration.class, DataRedisAutoConfiguration.class)),
				"distlock.backend=local", "distlock.redis.enabled=true", "distlock.fail-fast=true",
				"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=1", "spring.data.redis.password=topsecret");
		assertThat(flushed(output)).containsOnlyOnce("The test of the lock store failed");
		assertThat(flushed(output)).containsPattern("Description:\\s+Redis at 127.0.0.1:1 does not accept connections")
			.contains(FAILED, "Check that it runs at this address",
					"distlock.fail-fast is true, and the lock store cannot be used: Redis at 127.0.0.1:1, prefix",
					"Or set distlock.fail-fast=false, so that only calls that need a lock fail.")
			.doesNotContain("topsecret");
	}

	private static SpringApplicationBuilder application(Stream<Class<?>> beans) {
		Stream<Class<?>> locks = Stream.of(DistlockAutoConfiguration.class, DistlockRedisAutoConfiguration.class,
				DistlockAopAutoConfiguration.class);
		Class<?>[] sources = Configurations
			.getClasses(AutoConfigurations.of(Stream.concat(locks, beans).toArray(Class<?>[]::new)));
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

	static final class FinalShop {

		@DistributedLock(key = "'k'")
		void sell() {
		}

	}

	static class Unresolved {

		@DistributedLock(key = "'k'", leaseTime = "${shop.lease}")
		void sell() {
		}

	}

	static class Shop {

		@DistributedLock(leaseTime = "10ms")
		void sell() {
		}

	}

}
