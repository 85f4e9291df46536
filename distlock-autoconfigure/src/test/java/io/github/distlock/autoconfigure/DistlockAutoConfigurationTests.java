package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.actuate.DistlocksEndpoint;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.integration.IntegrationLockRegistry;
import io.github.distlock.metrics.LockMetrics;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Which beans are defined, and when they back off, those for meters, the endpoint and
 * health included, and listeners that depend on beans which use locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class DistlockAutoConfigurationTests {

	private static final ApplicationContextRunner LOCAL = Contexts.local();

	@Test
	void everyAutoConfigurationIsFinal() {
		assertThat(Contexts.autoConfigurations()).hasSizeGreaterThan(10)
			.allSatisfy((type) -> assertThat(type).hasAnnotation(AutoConfiguration.class).isFinal());
	}

	@Test
	void aLockBackendOfTheApplicationWorksWithoutSpringDataRedis() {
		Contexts.withoutRedis()
			.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
			.withBean(LockBackend.class, StoreChoiceTests::ownBackend)
			.run((context) -> assertThat(context).getBean(LockRegistry.class).isInstanceOf(BackendLockRegistry.class));
	}

	@Test
	void ofSeveralConnectionFactoriesTheNamedOneOrElseThePrimaryOneIsUsed() {
		ApplicationContextRunner several = Contexts.withRedis()
			.withUserConfiguration(TwoFactories.class)
			.withBean("third", RedisConnectionFactory.class, () -> factory(3), (bean) -> bean.setPrimary(true));
		several.run((context) -> assertThat(context.getBean(BackendLockRegistry.class).store().location())
			.startsWith("Redis at third.example:3"));
		several.withPropertyValues("distlock.redis.connection-factory=second")
			.run((context) -> assertThat(context.getBean(BackendLockRegistry.class).store().location())
				.startsWith("Redis at second.example:2"));
	}

	@ParameterizedTest
	@CsvSource({ "distlock.wait-tme, distlock.wait-time", "distlock.lease, distlock.lease-time",
			"distlock.max-hold, distlock.max-hold-time", "distlock.handof.budget, distlock.handoff",
			"distlock.redis.comand-timeout, distlock.redis.command-timeout",
			"distlock.jdbc.poolsze, distlock.jdbc.pool-size",
			"distlock.redlock.node-timout, distlock.redlock.node-timeout" })
	void aPropertyThatDoesNotExistIsNamedWithTheNearestOne(String property, String nearest, CapturedOutput output) {
		Contexts.withRedis().withPropertyValues(property + "=4711s").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(flushed(output)).containsOnlyOnce("Property '" + property + "' has no effect")
				.containsOnlyOnce("The nearest is '" + nearest + "'")
				.doesNotContain("4711");
		});
	}

	@ParameterizedTest
	@CsvSource({ "DISTLOCK_REDIS_HOST, distlock.redis.host, spring.data.redis.host",
			"DISTLOCK_REDIS_PASSWORD, distlock.redis.password, spring.data.redis.password",
			"DISTLOCK_REDIS_SENTINEL_MASTER, distlock.redis.sentinel.master, spring.data.redis.sentinel.master",
			"DISTLOCK_JDBC_URL, distlock.jdbc.url, spring.datasource.url" })
	void aServerBelowDistlockIsNamedWithThePropertyOfSpringBoot(String variable, String property, String successor,
			CapturedOutput output) {
		String warning = "Property '" + property + "' has no effect: the server is configured with '" + successor + "'";
		Contexts.withRedis()
			.withPropertyValues(property + "=secret-4711")
			.run((context) -> assertThat(flushed(output)).containsOnlyOnce(warning).doesNotContain("secret-4711"));
		Contexts.withRedis()
			.withInitializer((context) -> setEnvironment(context, Map.of(variable, "secret-4711")))
			.run((context) -> assertThat(flushed(output)).contains(warning)
				.contains("It was set in \"" + variable + "\" from property source")
				.doesNotContain("secret-4711"));
	}

	@Test
	void propertiesInEachFormAndVariablesOfOthersAreNotNamed(CapturedOutput output) {
		Contexts.withRedis()
			.withPropertyValues("distlock.waitTime=1s", "distlock.lease_time=20s", "distlock.composite[0]=redis",
					"distlock.composite[1]=local", "distlock.redlock.nodes[0].host=127.0.0.1",
					"distlock.handoff.max-time=5ms", "distlock.jdbc.enabled=false", "distlock.jdbc.mode=connection",
					"distlock.redis=", "distlocks.name=another")
			.withInitializer((context) -> setEnvironment(context,
					Map.of("DISTLOCK_FAIL_FAST", "false", "DISTLOCK_REDLOCK_NODES_1_HOST", "127.0.0.1",
							"DISTLOCK_SERVICE_HOST", "10.0.0.1", "DISTLOCK_REDIS_PORT", "tcp://10.0.0.1:6379",
							"DISTLOCK_REDIS_PORT_6379_TCP_ADDR", "10.0.0.1", "DISTLOCK_REDIS_COMMAND_TIMEOUT",
							"900ms")))
			.withSystemProperties("distlock.build=17")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(flushed(output)).doesNotContain("has no effect");
			});
	}

	private static void setEnvironment(ConfigurableApplicationContext context, Map<String, Object> variables) {
		String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
		context.getEnvironment()
			.getPropertySources()
			.replace(name, new SystemEnvironmentPropertySource(name, variables));
	}

	@Test
	void switchedOffTheRegistryGrantsEverythingAndWarnsOnce(CapturedOutput output) {
		Contexts.withoutRedis().withPropertyValues("distlock.enabled=false").run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			HeldLock first = registry.acquire(LockRequest.of("order-1"));
			HeldLock second = registry.tryAcquire(LockRequest.of("order-1")).orElseThrow();
			HeldLock third = registry.acquireAsync(LockRequest.of("order-1")).join();
			assertThat(first.isHeld()).isTrue();
			assertThat(first.remaining()).isGreaterThan(Duration.ofDays(1));
			assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
			assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
			assertThat(registry.obtain("order-1").tryLock()).isTrue();
			assertThat(registry.execute(LockRequest.of("order-1"),
					() -> LockContext.current().map(HeldLock::key).orElse("none")))
				.isEqualTo("order-1");
			assertThat(LockContext.current()).isEmpty();
			assertThat(flushed(output).toString().lines().filter((line) -> line.contains("WARN"))).singleElement(STRING)
				.contains("Locks are switched off (distlock.enabled=false)", "run without a lock",
						"each LockRegistry grants every lock at once");
		});
	}

	@Test
	void switchedOffTheLockRegistryOfSpringIntegrationStillExcludesTheThreadsOfThisJvm() {
		LOCAL.withPropertyValues("distlock.enabled=false").run((context) -> {
			var locks = context.getBean(IntegrationLockRegistry.class);
			Supplier<Boolean> another = () -> locks.obtain("key").tryLock();
			locks.obtain("key").lock();
			assertThat(CompletableFuture.supplyAsync(another).get()).isFalse();
			locks.obtain("key").unlock();
			assertThat(CompletableFuture.supplyAsync(another).get()).isTrue();
		});
	}

	@Test
	void aLockRegistryOfSpringIntegrationOfTheApplicationWins() {
		LOCAL.withBean(DefaultLockRegistry.class)
			.run((context) -> assertThat(context)
				.getBean(org.springframework.integration.support.locks.LockRegistry.class)
				.isInstanceOf(DefaultLockRegistry.class));
	}

	@ParameterizedTest
	@CsvSource({ "org.springframework.integration, distlockIntegrationLockRegistry",
			"org.springframework.transaction, distlockCommitGuard" })
	void withoutTheLibraryThereIsNoBeanForIt(String library, String bean) {
		LOCAL.withClassLoader(new FilteredClassLoader(library))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(bean));
	}

	@ParameterizedTest
	@CsvSource({ "distlock.enabled=true, 1", "distlock.transaction.commit-guard=false, 0",
			"distlock.enabled=false, 0" })
	void aTransactionManagerOfTheApplicationIsGuardedUnlessThatIsSwitchedOff(String property, int guards) {
		LOCAL.withPropertyValues(property)
			.withBean(DataSourceTransactionManager.class,
					() -> new DataSourceTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:guarded")))
			.run((context) -> assertThat(
					context.getBean(DataSourceTransactionManager.class).getTransactionExecutionListeners())
				.hasSize(guards));
	}

	@Test
	void aCommitGuardOfTheApplicationReplacesTheDefault() {
		LOCAL.withBean("ownGuard", CommitGuard.class, () -> new CommitGuard(() -> new CommitTerms(true, Duration.ZERO)))
			.run((context) -> assertThat(context).hasSingleBean(CommitGuard.class).hasBean("ownGuard"));
	}

	private static LettuceConnectionFactory factory(int number) {
		String[] names = { "first", "second", "third" };
		return new LettuceConnectionFactory(names[number - 1] + ".example", number);
	}

	private final WebApplicationContextRunner web = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(Contexts.autoConfigurations().toArray(Class<?>[]::new)))
		.withPropertyValues("distlock.backend=local");

	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|',
			textBlock = """
					distlock.backend=local                                   | distlockHealthContributor
					management.endpoints.web.exposure.include=distlocks      | distlockHealthContributor distlocksEndpoint distlockRecentEvents
					management.endpoint.distlocks.access=NONE EXPOSED        | distlockHealthContributor
					management.health.distlock.enabled=false EXPOSED         | distlocksEndpoint distlockRecentEvents
					management.health.defaults.enabled=false EXPOSED         | distlocksEndpoint distlockRecentEvents
					""")
	void theEndpointNeedsToBeExposedAndBothCanBeSwitchedOff(String properties, String present) {
		this.web
			.withPropertyValues(properties.replace("EXPOSED", "management.endpoints.web.exposure.include=*").split(" "))
			.run((context) -> assertThat(
					Stream.of("distlockHealthContributor", "distlocksEndpoint", "distlockRecentEvents")
						.filter(context::containsBean))
				.hasSameElementsAs(List.of(present.split(" "))));
	}

	@Test
	void theLocksOfAnApplicationsOwnRegistryAreNotKnown() {
		this.web.withPropertyValues("management.endpoints.web.exposure.include=*")
			.withBean("own", LockRegistry.class, () -> mock(LockRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(DistlocksEndpoint.class)
				.doesNotHaveBean("distlockHealthContributor"));
	}

	@Test
	void healthHasAnEntryEvenForASingleStore() {
		this.web.run((context) -> assertThat(
				context.getBean("distlockHealthContributor", CompositeHealthContributor.class).stream())
			.singleElement()
			.satisfies((entry) -> assertThat(entry.name()).isEqualTo("local")));
	}

	@Test
	void locksThatAreSwitchedOffAreHealthyAndTheListIsEmpty() {
		this.web.withPropertyValues("distlock.enabled=false", "management.endpoints.web.exposure.include=*")
			.run((context) -> {
				assertThat(context.getBean("distlockHealthContributor", HealthIndicator.class).health())
					.satisfies((health) -> assertThat(health.getStatus()).isEqualTo(Status.UP));
				assertThat(context.getBean(DistlocksEndpoint.class)
					.locks(SecurityContext.NONE, null, null, null)
					.getBody()).hasToString("LocksDescriptor[instance=null, registries={}]");
			});
	}

	@Test
	void aBeanThatLocksWhileItIsCreatedForAListenerGetsItsLock() {
		LOCAL.withBean(EagerAlerts.class).withBean(EagerListener.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(EagerAlerts.class).locked).isTrue();
			try (HeldLock lock = context.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"))) {
				assertThat(lock.isHeld()).isTrue();
			}
			await().untilAsserted(() -> assertThat(context.getBean(EagerListener.class).heard).contains("order-1"));
		});
	}

	@Test
	void theStartFindsTheListenersSoThatTheFirstLockSearchesNoBeans() {
		LOCAL.withBean("lazy", Recorder.class, Recorder::new, (bean) -> bean.setLazyInit(true))
			.run((context) -> assertThat(context.getBeanFactory().containsSingleton("lazy")).isTrue());
	}

	@Test
	void aListenerThatCannotBeCreatedAtTheStartHearsTheFirstEvent() {
		Recorder recorder = new Recorder();
		AtomicInteger tries = new AtomicInteger();
		LOCAL.withBean("late", LockListener.class, () -> {
			assertThat(tries.incrementAndGet()).isGreaterThan(1);
			return recorder;
		}, (bean) -> bean.setLazyInit(true)).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(tries).hasValue(1);
			context.getBean(LockRegistry.class).acquire(LockRequest.of("order-1")).close();
			assertThat(recorder.heard).contains("order-1");
		});
	}

	private final ApplicationContextRunner measured = Contexts.withRedis()
		.withBean("meters", MeterRegistry.class, SimpleMeterRegistry::new);

	private final ApplicationContextRunner measuredWork = LOCAL
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withBean("meters", MeterRegistry.class, SimpleMeterRegistry::new)
		.withBean(Work.class);

	@Test
	void theMetersOfAnnotatedMethodsExistFromTheStartAndCountItsEvents() {
		this.measuredWork.run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			assertThat(meters.get("distlock.lost").tags("name", "orders", "backend", "local").counter().count())
				.isZero();
			assertThat(meters.get("distlock.acquire").tags("name", "orders", "outcome", "timeout").timer().count())
				.isZero();
			assertThat(meters.get("distlock.at.risk").tag("backend", "local").gauge()).isNotNull();
			context.getBean(Work.class).order(() -> {
				assertThat(longest(meters, "orders")).isPositive();
				assertThat(meters.get("distlock.held").gauge().value()).isOne();
			});
			assertThat(meters.get("distlock.held").gauge().value()).isZero();
			assertThat(meters.get("distlock.hold").tag("name", "orders").timer().count()).isOne();
			assertThat(meters.get("distlock.acquire").tags("name", "orders", "outcome", "acquired").timer().count())
				.isOne();
		});
	}

	@Test
	void theNamesOfACompositeAreThoseOfItsStores() {
		this.measuredWork.withPropertyValues("distlock.backend=composite", "distlock.composite=local,redis")
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.run((context) -> assertThat(context.getBean(MeterRegistry.class).get("distlock.lost").counters())
				.extracting((counter) -> counter.getId().getTag("backend"))
				.containsExactlyInAnyOrder("local", "redis"));
	}

	@Test
	void theGaugesShowTheLongestLockOfEachNameUntilTheRegistryIsShutDown() {
		this.measuredWork.withPropertyValues("distlock.shutdown-grace-period=0").run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			LockRegistry registry = context.getBean(LockRegistry.class);
			registry.acquire(LockRequest.of("order-1").name("orders"));
			long acquired = System.nanoTime();
			await().until(() -> System.nanoTime() - acquired > 50_000_000);
			registry.acquire(LockRequest.of("order-2").name("orders"));
			assertThat(longest(meters, "orders")).isGreaterThanOrEqualTo(50_000_000);
			context.getSourceApplicationContext().stop();
			assertThat(longest(meters, "orders")).isZero();
			assertThat(meters.get("distlock.at.risk").tag("backend", "local").gauge().value()).isZero();
		});
	}

	private static double longest(MeterRegistry meters, String name) {
		return meters.get("distlock.hold.longest")
			.tags("name", name, "backend", "local")
			.timeGauge()
			.value(TimeUnit.NANOSECONDS);
	}

	@Test
	void withSeveralMeterRegistriesAndNoPrimaryOneThereAreNoMetricsAndNoError() {
		this.measured.withBean("others", MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class).doesNotHaveBean(LockMetrics.class));
	}

	@Test
	void metricsOfTheApplicationReplaceTheDefault() {
		this.measured.withBean("mine", LockMetrics.class, () -> new LockMetrics(new SimpleMeterRegistry()))
			.run((context) -> assertThat(context).hasSingleBean(LockMetrics.class)
				.hasBean("mine")
				.getBean(LockListener.class)
				.isNotNull());
	}

	@Test
	void switchedOffNoStoreIsMeasured() {
		this.measured.withPropertyValues("distlock.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(MeterRegistry.class).getMeters()).isEmpty();
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoFactories {

		@Bean
		RedisConnectionFactory first() {
			return factory(1);
		}

		@Bean
		RedisConnectionFactory second() {
			return factory(2);
		}

	}

	static class Recorder implements LockListener {

		final List<String> heard = new CopyOnWriteArrayList<>();

		@Override
		public void onReleased(Released event) {
			this.heard.add(event.key());
		}

	}

	static class EagerAlerts {

		private final boolean locked;

		EagerAlerts(LockRegistry locks) {
			try (HeldLock lock = locks.acquire(LockRequest.of("eager"))) {
				this.locked = lock.isHeld();
			}
		}

	}

	static class EagerListener extends Recorder {

		EagerListener(EagerAlerts alerts) {
			assertThat(alerts.locked).isTrue();
		}

	}

	static class Work {

		@DistributedLock(key = "'order-7'", name = "orders")
		public void order(Runnable body) {
			body.run();
		}

	}

}
