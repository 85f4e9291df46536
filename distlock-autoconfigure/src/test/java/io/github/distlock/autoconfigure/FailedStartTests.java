package io.github.distlock.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.DistributedLockAdvisor;
import io.github.distlock.autoconfigure.DistlockProperties.OnLost;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.registry.RegistrySettings;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.transaction.CommitTerms;
import io.github.distlock.transaction.OnActiveTransaction;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.StringUtils;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;

/**
 * Failure reports of applications that cannot start because of the lock configuration.
 * Properties, their defaults and their limits, and durations without a unit.
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

	@Test
	void withoutAnyPropertyThereAreDefaults() {
		DistlockProperties properties = bind();
		RedisStoreProperties redis = bindRedis();
		assertThat(properties.enabled()).isTrue();
		assertThat(properties.backend()).isEqualTo(Backend.REDIS);
		assertThat(properties.failFast()).isFalse();
		assertThat(properties.onLost()).isEqualTo(OnLost.EVENT);
		assertThat(redis.connectionFactory()).isNull();
		assertThat(properties.aop().order()).isEqualTo(DistributedLockAdvisor.DEFAULT_ORDER);
		assertThat(properties.transaction().onActive()).isEqualTo(OnActiveTransaction.KEEP);
		assertThat(properties.toCommitTerms()).isEqualTo(new CommitTerms(true, Duration.ZERO));
		assertThat(properties.toRegistrySettings("shop"))
			.isEqualTo(new RegistrySettings(Duration.ofSeconds(5), Duration.ofSeconds(30), null,
					new HandOffLimits(500, Duration.ofMillis(5)), Duration.ofSeconds(10), false, Duration.ofSeconds(10),
					"shop", Duration.ofSeconds(10), ReleaseMode.CONFIRMED, Integer.MAX_VALUE, false));
		assertThat(redis.toSettings(properties))
			.isEqualTo(new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 501));
	}

	@Test
	void eachPropertyIsAppliedToItsSetting() {
		String[] values = { "distlock.enabled=false", "distlock.backend=redis", "distlock.key-prefix=shop:",
				"distlock.wait-time=-1", "distlock.max-waiting=20", "distlock.lease-time=12s",
				"distlock.max-hold-time=5m", "distlock.backend-timeout=7s", "distlock.fail-fast=true",
				"distlock.on-lost=interrupt", "distlock.handoff.max-time=20ms", "distlock.shutdown-grace-period=3s",
				"distlock.release=background", "distlock.redis.command-timeout=700ms",
				"distlock.redis.dedicated-connection=false", "distlock.redis.connection-factory=second",
				"distlock.aop.order=17", "distlock.transaction.on-active=fail",
				"distlock.transaction.commit-margin=200ms", "distlock.jfr.keys=true" };
		DistlockProperties properties = bind(values);
		RedisStoreProperties redis = bindRedis(values);
		assertThat(properties.enabled()).isFalse();
		assertThat(properties.failFast()).isTrue();
		assertThat(redis.connectionFactory()).isEqualTo("second");
		assertThat(properties.aop().order()).isEqualTo(17);
		assertThat(properties.transaction().onActive()).isEqualTo(OnActiveTransaction.FAIL);
		assertThat(properties.toCommitTerms()).isEqualTo(new CommitTerms(false, Duration.ofMillis(200)));
		assertThat(properties.toRegistrySettings("shop"))
			.isEqualTo(new RegistrySettings(LockRequest.FOREVER, Duration.ofSeconds(12), Duration.ofMinutes(5),
					new HandOffLimits(500, Duration.ofMillis(20)), Duration.ofSeconds(7), true, Duration.ofSeconds(3),
					"shop", Duration.ofSeconds(10), ReleaseMode.BACKGROUND, 20, true));
		assertThat(redis.toSettings(properties))
			.isEqualTo(new RedisBackendSettings("shop:", Duration.ofMillis(700), false, 501));
	}

	@ParameterizedTest
	@ValueSource(strings = { "distlock.wait-time=0s", "distlock.wait-time=-1", "distlock.max-waiting=1",
			"distlock.max-waiting=2147483647", "distlock.lease-time=100ms", "distlock.max-hold-time=30s",
			"distlock.backend-timeout=1s", "distlock.shutdown-grace-period=0", "distlock.key-prefix=a",
			"distlock.handoff.max-time=0", "distlock.handoff.max-time=30s",
			"distlock.transaction.commit-margin=2500ms" })
	void theLimitOfARangeIsAccepted(String property) {
		assertThat(bind(property)).isNotNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					lease-time=99ms | 'distlock.lease-time' is '99ms': it must be at least 100ms. Set 100ms or more, since
					wait-time=-3s | 'distlock.wait-time' is '-3s': it is negative. Write -1 to wait without a limit, 0s to try once
					max-waiting=0 | 'distlock.max-waiting' is '0': it must be from 1 to 2147483647. Remove the property to let any number of callers wait
					max-waiting=-1 | 'distlock.max-waiting' is '-1': it must be from 1 to 2147483647. Remove
					max-hold-time=29s | 'distlock.max-hold-time' is '29s': it must not be shorter than 'distlock.lease-time', which is '30s'
					backend-timeout=900ms | 'distlock.backend-timeout' is '900ms': it must not be shorter than 'distlock.redis.command-timeout'
					shutdown-grace-period=-1s | 'distlock.shutdown-grace-period' is '-1s': it must be at least 0s. Set 0s to stop without
					redis.command-timeout=0 | 'distlock.redis.command-timeout' is '0s': it must be at least 1ms. Set a longer duration, or remove the property to use the default, 1s
					handoff.max-time=-1ms | 'distlock.handoff.max-time' is '-1ms': it must be at least 0s. Set 0s to disable the hand-over
					handoff.max-time=31s | 'distlock.handoff.max-time' is '31s': it must be at most 30s. Decrease it, or increase distlock.lease-time
					transaction.commit-margin=-1ms | 'distlock.transaction.commit-margin' is '-1ms': it must be at least 0s. Set 0s to require only
					transaction.commit-margin=2501ms | 'distlock.transaction.commit-margin' is '2501ms': it must be at most 2500ms. Set a shorter duration
					key-prefix=a{b | 'distlock.key-prefix' is 'a{b': braces in the prefix would put all locks into one cluster slot. Remove
					key-prefix=a}b | 'distlock.key-prefix' is 'a}b': braces
					key-prefix= | 'distlock.key-prefix' is '': a blank prefix mixes lock keys with all other keys of the store. Remove
					""")
	void aValueBeyondTheLimitIsRefusedWithNameValueAndRemedy(String property, String message) {
		assertRefused(() -> bindRedis("distlock." + property).toSettings(bind("distlock." + property)),
				"Property " + message);
	}

	@ParameterizedTest
	@CsvSource({ "redis.command-timeout, 30, 4999ms, 5001ms, 10s", "jdbc.command-timeout, 15, 2500ms, 2501ms, 5s",
			"redlock.node-timeout, 6, 1s, 1001ms, 2s", "jdbc.command-timeout, 10, 1s, 2s, 4s" })
	void aTimeOutAboveASixthOfTheLeaseCausesAWarningAndFromAThirdOnItIsRefused(String name, int lease, String silent,
			String warned, String refused, CapturedOutput output) {
		String property = "distlock." + name;
		check(property + "=" + silent, lease);
		assertThat(output).doesNotContain("may cost all locks");
		check(property + "=" + warned, lease);
		assertThat(output).containsOnlyOnce("Property '" + property + "' is '" + warned
				+ "', and 'distlock.lease-time' is '" + lease + "s': a short silence of the store may cost"
				+ " all locks. Set a sixth of that at most, or increase distlock.lease-time");
		assertRefused(() -> check(property + "=" + refused, lease), "Property '" + property + "' is '" + refused
				+ "': it must be shorter than a third of 'distlock.lease-time', which is '" + lease + "s'");
	}

	@ParameterizedTest
	@CsvSource({ "jdbc.command-timeout, 6s", "jdbc.command-timeout, 1ms", "jdbc.command-timeout, 249ms",
			"jdbc.poll-interval, 1ms", "jdbc.max-connections, 0", "jdbc.pool-size, 1", "jdbc.table-prefix, a-b",
			"jdbc.schema, a.b", "jdbc.mode, rows", "zookeeper.session-timeout, 10ms",
			"zookeeper.connection-timeout, 1ms", "zookeeper.command-timeout, 1ms", "zookeeper.command-timeout, 11s",
			"zookeeper.root, locks" })
	void aValueThatDoesNotFitTheStoreIsRefused(String name, String value) {
		assertThatThrownBy(() -> check("distlock." + name + "=" + value, 30))
			.hasStackTraceContaining("distlock." + name);
	}

	@Test
	void aSessionIsNotLostByALateAnswer() {
		DistlockProperties properties = bind("distlock.lease-time=2s");
		assertThat(bind("zookeeper", ZooKeeperStoreProperties.class).toSettings(properties)).isNotNull();
		assertThat(bind("jdbc", JdbcStoreProperties.class, "distlock.jdbc.mode=connection").toSettings(properties, ""))
			.isNotNull();
	}

	private static void check(String property, int lease) {
		DistlockProperties properties = bind("distlock.lease-time=" + lease + "s");
		switch (property.split("\\.")[1]) {
			case "redis" -> bindRedis(property).toSettings(properties);
			case "zookeeper" -> bind("zookeeper", ZooKeeperStoreProperties.class, property).toSettings(properties);
			case "jdbc" -> bind("jdbc", JdbcStoreProperties.class, property).toSettings(properties, "");
			default -> bind("redlock", RedlockStoreProperties.class, property).toSettings(properties);
		}
	}

	@Test
	void aPrefixWithAControlCharacterIsRefusedWithoutShowingIt() {
		MockEnvironment environment = new MockEnvironment().withProperty("distlock.key-prefix", "a\nb");
		assertRefused(() -> bind(environment),
				"Property 'distlock.key-prefix' is 'a?b': it contains a control character");
	}

	private static void assertRefused(ThrowingCallable bind, String message) {
		assertThatThrownBy(bind).extracting(NestedExceptionUtils::getMostSpecificCause, THROWABLE)
			.isInstanceOf(StartUpException.class)
			.hasMessageStartingWith(message);
	}

	private static DistlockProperties bind(String... properties) {
		MockEnvironment environment = new MockEnvironment();
		TestPropertyValues.of(properties).applyTo(environment);
		return bind(environment);
	}

	private static RedisStoreProperties bindRedis(String... properties) {
		return bind("redis", RedisStoreProperties.class, properties);
	}

	private static <T> T bind(String store, Class<T> type, String... properties) {
		MockEnvironment environment = new MockEnvironment();
		TestPropertyValues.of(properties).applyTo(environment);
		return Binder.get(environment).bindOrCreate("distlock." + store, type);
	}

	private static DistlockProperties bind(MockEnvironment environment) {
		return Binder.get(environment).bindOrCreate("distlock", DistlockProperties.class);
	}

	private static final List<Class<?>> TYPES = List.of(DistlockProperties.class, RedisStoreProperties.class,
			RedlockStoreProperties.class, JdbcStoreProperties.class, ZooKeeperStoreProperties.class);

	private final ApplicationContextRunner local = Contexts.local();

	@Test
	void allDurationsAreFound() {
		assertThat(durations()).contains("distlock.wait-time", "distlock.handoff.max-time",
				"distlock.transaction.commit-margin", "distlock.redlock.node-timeout",
				"distlock.zookeeper.session-timeout", "distlock.jdbc.poll-interval", "distlock.redis.command-timeout");
	}

	@ParameterizedTest
	@MethodSource("durations")
	void aNumberWithoutAUnitIsRefusedAtStartup(String property) {
		this.local.withUserConfiguration(All.class)
			.withPropertyValues(property + "=2000")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(StartUpException.class)
				.hasMessage(
						"Property '" + property + "' is '2000': it has no unit and would be read as 2000 milliseconds."
								+ " Write a number with a unit, such as 2000ms or 2000s."));
	}

	@ParameterizedTest
	@CsvSource({ "distlock.wait-time, 0", "distlock.wait-time, -1", "distlock.wait-time, 2s",
			"distlock.wait-time, PT2S", "distlock.shutdown-grace-period, 0", "distlock.handoff.max-time, 0",
			"distlock.transaction.commit-margin, 0", "distlock.max-hold-time, ''" })
	void valuesWithAUnitAndValuesThatNeedNoneAreAccepted(String property, String value) {
		this.local.withPropertyValues(property + "=" + value).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void otherPropertiesAreNotAffected() {
		this.local.withUserConfiguration(Others.class)
			.withPropertyValues("shop.patience=2000")
			.run((context) -> assertThat(context.getBean(OtherProperties.class).patience())
				.isEqualTo(Duration.ofSeconds(2)));
	}

	static Stream<String> durations() {
		return TYPES.stream()
			.flatMap((type) -> durations(type, type.getAnnotation(ConfigurationProperties.class).value()));
	}

	private static Stream<String> durations(Class<?> type, String prefix) {
		return Arrays.stream(type.getRecordComponents()).flatMap((component) -> durations(component, prefix));
	}

	private static Stream<String> durations(RecordComponent component, String prefix) {
		String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
		if (component.getType() == Duration.class) {
			return Stream.of(name);
		}
		return component.getType().isRecord() ? durations(component.getType(), name) : Stream.empty();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties({ RedisStoreProperties.class, RedlockStoreProperties.class,
			JdbcStoreProperties.class, ZooKeeperStoreProperties.class })
	static class All {

	}

	@ConfigurationProperties("shop")
	record OtherProperties(Duration patience) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(OtherProperties.class)
	static class Others {

	}

}
