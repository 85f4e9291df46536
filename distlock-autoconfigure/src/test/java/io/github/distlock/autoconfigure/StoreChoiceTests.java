package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.DistributedLockAdvisor;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.integration.IntegrationLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;
import io.github.distlock.testing.RedisTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.aop.MethodBeforeAdvice;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.StringUtils;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Which backends are enabled, which of them is the default, and in which of them a method
 * is locked.
 */
@ExtendWith(OutputCaptureExtension.class)
class StoreChoiceTests {

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	private final ApplicationContextRunner application = Contexts.withRedis()
		.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port());

	@Test
	void withoutAPropertyOnlyRedisIsEnabled(CapturedOutput output) {
		this.application.run((context) -> {
			assertThat(registries(context)).containsExactly("distlockRedisLockRegistry");
			assertThat(context).hasBean("distlockRedisLockBackend").doesNotHaveBean(LocalStore.class);
			assertThat(flushed(output)).doesNotContain("'local'");
			assertThat(report(context, DistlockRedisAutoConfiguration.class))
				.contains("@ConditionalOnBackend redis it is enabled");
			assertThat(report(context, DistlockLocalAutoConfiguration.class))
				.contains("@ConditionalOnBackend local distlock.backend is redis, and the LockBackend beans");
		});
	}

	@Test
	void onlyTheNamedBackendIsEnabled(CapturedOutput output) {
		this.application.withPropertyValues("distlock.backend=local").run((context) -> {
			assertThat(registries(context)).containsExactly("distlockLocalLockRegistry");
			assertThat(context.getBean(LockBackend.class)).isInstanceOf(LocalLockBackend.class);
			lock(context.getBean(LockRegistry.class));
			assertThat(flushed(output)).containsOnlyOnce("but not other JVMs");
		});
	}

	@ParameterizedTest
	@CsvSource({ "distlock.local.enabled=true, distlock.backend=redis, redis",
			"distlock.redis.enabled=true, distlock.backend=local, local" })
	void aBackendCanBeEnabledInAdditionToTheDefault(String further, String choice, String byDefault,
			CapturedOutput output) {
		this.application.withPropertyValues(further, choice).withBean(Injected.class).run((context) -> {
			assertThat(registries(context)).containsExactlyInAnyOrder("distlockRedisLockRegistry",
					"distlockLocalLockRegistry");
			Injected injected = context.getBean(Injected.class);
			assertThat(injected.plain).isSameAs(byDefault.equals("redis") ? injected.redis : injected.local);
			assertThat(injected.redisBackend).isInstanceOf(RedisLockBackend.class);
			assertThat(injected.localBackend).isInstanceOf(LocalLockBackend.class);
			assertThat(flushed(output)).containsOnlyOnce("but not other JVMs");
			// The same key in two stores means two locks.
			try (HeldLock inRedis = injected.redis.acquire(LockRequest.of("order-1"))) {
				lock(injected.local);
				assertThat(inRedis.isHeld()).isTrue();
			}
		});
	}

	@Test
	void aBackendOfTheApplicationIsTheDefaultAndOthersCanBeAdded() {
		ApplicationContextRunner own = this.application.withBean("etcdLockBackend", LockBackend.class,
				StoreChoiceTests::ownBackend);
		own.run((context) -> assertThat(registries(context)).containsExactly("distlockEtcdLockRegistry"));
		own.withPropertyValues("distlock.backend=redis").run((context) -> {
			assertThat(registries(context)).containsExactly("distlockEtcdLockRegistry");
			assertThat(report(context, DistlockRedisAutoConfiguration.class))
				.contains("the LockBackend beans of the application are [etcdLockBackend]");
		});
		own.withPropertyValues("distlock.redis.enabled=true").run((context) -> {
			assertThat(registries(context)).containsExactlyInAnyOrder("distlockEtcdLockRegistry",
					"distlockRedisLockRegistry");
			assertThat(context.getBean(LockRegistry.class)).isSameAs(context.getBean("distlockEtcdLockRegistry"));
		});
		own.withPropertyValues("distlock.composite=redis,etcd", "distlock.backend=composite").run((context) -> {
			assertThat(context.getBean(LockRegistry.class)).isInstanceOf(CompositeLockRegistry.class);
			lock(context.getBean(LockRegistry.class));
		});
	}

	@Test
	void ofSeveralBackendsOfTheApplicationOneMustBePrimary() {
		ApplicationContextRunner own = this.application
			.withBean("etcdLockBackend", LockBackend.class, StoreChoiceTests::ownBackend)
			.withBean("consul", LockBackend.class, StoreChoiceTests::ownBackend);
		Contexts.assertRefused(own, "The default LockBackend is not clear: etcdLockBackend, consul.");
		own.withBean("third", LockBackend.class, StoreChoiceTests::ownBackend, (bean) -> bean.setPrimary(true))
			.run((context) -> assertThat(context.getBean(LockRegistry.class))
				.isSameAs(context.getBean("distlockThirdLockRegistry")));
	}

	@Test
	void aBackendOfTheApplicationReplacesTheOneWithTheSameName() {
		this.application.withPropertyValues("distlock.redis.enabled=true")
			.withBean("redisLockBackend", LockBackend.class, StoreChoiceTests::ownBackend)
			.run((context) -> {
				assertThat(registries(context)).containsExactly("distlockRedisLockRegistry");
				assertThat(context.getBean(LockBackend.class)).isInstanceOf(LocalLockBackend.class);
			});
	}

	@Test
	void aRegistryOfTheApplicationReplacesAll() {
		this.application
			.withPropertyValues("distlock.local.enabled=true", "distlock.redis.enabled=true",
					"distlock.composite=redis,local")
			.withBean("mine", LockRegistry.class, () -> mock(LockRegistry.class))
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.hasBean("mine")
				.doesNotHaveBean(LockBackend.class)
				.doesNotHaveBean(LockRegistryLifecycle.class)
				.hasSingleBean(DistributedLockAdvisor.class));
	}

	@Test
	void aPrimaryRegistryOfTheApplicationIsAroundTheQualifiedOnes() {
		Queue<String> requested = new ConcurrentLinkedQueue<>();
		this.application.withPropertyValues("distlock.composite=redis,local")
			.withBean("requested", Queue.class, () -> requested)
			.withUserConfiguration(Decorated.class)
			.withBean(Shop.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(registries(context)).containsExactlyInAnyOrder("decorated", "distlockRedisLockRegistry",
						"distlockLocalLockRegistry", "distlockCompositeLockRegistry");
				assertThat(context.getBean(LockRegistry.class)).isSameAs(context.getBean("decorated"));
				Shop shop = context.getBean(Shop.class);
				assertThat(shop.byDefault()).isEqualTo("redis");
				assertThat(requested).containsExactly("order-1");
				assertThat(shop.local()).isEqualTo("local");
				assertThat(shop.both()).isEqualTo("local redis");
				assertThat(requested).as("a named registry is not decorated").hasSize(1);
				Lock lock = context.getBean(IntegrationLockRegistry.class).obtain("leader");
				assertThat(lock.tryLock()).isTrue();
				lock.unlock();
				assertThat(requested).containsExactly("order-1", "leader");
				assertThat(context).hasSingleBean(LockRegistryLifecycle.class);
			});
	}

	@Test
	void aPrimaryRegistryDoesNotReplaceThoseOfTheLibrary() {
		Contexts.assertRefused(Contexts.withoutRedis()
			.withClassLoader(new FilteredClassLoader(RedisConnectionFactory.class))
			.withBean("mine", LockRegistry.class, () -> mock(LockRegistry.class), (bean) -> bean.setPrimary(true)),
				"The lock backend 'redis' is enabled");
	}

	@Test
	void theCompositeCanBeTheDefaultAndEnablesItsMembers() {
		this.application.withPropertyValues("distlock.backend=composite", "distlock.composite=redis, local")
			.run((context) -> {
				assertThat(registries(context)).containsExactlyInAnyOrder("distlockRedisLockRegistry",
						"distlockLocalLockRegistry", "distlockCompositeLockRegistry");
				CompositeLockRegistry composite = (CompositeLockRegistry) context.getBean(LockRegistry.class);
				assertThat(composite.members()).containsExactly(
						context.getBean("distlockRedisLockRegistry", LockRegistry.class),
						context.getBean("distlockLocalLockRegistry", LockRegistry.class));
				try (HeldLock lock = composite.acquire(LockRequest.of("order-1"))) {
					assertThat(lock.isHeld()).isTrue();
					assertThat(lock.fencingToken()).isPositive();
				}
			});
	}

	@Test
	void switchedOffNoStoreIsNeeded() {
		Contexts.withoutRedis()
			.withPropertyValues("distlock.enabled=false", "distlock.backend=zookeeper", "distlock.redis.enabled=true",
					"distlock.composite=redis,zookeeper")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBeansOfType(LockRegistry.class).values()).hasSize(3)
					.allSatisfy((registry) -> assertThat(registry).isInstanceOf(UnlockedRegistry.class));
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					FairShop |                 | as fair, but the store 'heap' does not support that
					FairShop | redis,heap      | as fair, but the store 'heap' does not support that
					SlotShop |                 | with permits, but the store 'heap' does not support that: use the store 'redis' or 'local', or leave permits out
					SlotShop | redis,local     | with permits, but a composite of two registries does not support that
					""",
			quoteCharacter = '"')
	void whatTheStoreDoesNotSupportFailsTheStartup(String shop, @Nullable String composite, String problem) {
		Class<?> bean = shop.equals("FairShop") ? FairShop.class : SlotShop.class;
		ApplicationContextRunner choice = (composite != null)
				? this.application.withPropertyValues("distlock.composite=" + composite, "distlock.backend=composite")
				: this.application;
		Contexts
			.assertRefused(choice.withBean("heapLockBackend", LockBackend.class, StoreChoiceTests::backendWithoutOrder)
				.withBean(bean), "@DistributedLock on " + bean.getName(), problem);
		this.application.withBean(bean).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aCompositeRefusesPermitsAtEachCall() {
		this.application.withPropertyValues("distlock.composite=redis,local", "distlock.backend=composite")
			.run((context) -> {
				LockRegistry composite = context.getBean(LockRegistry.class);
				LockRequest request = LockRequest.of("order-1").permits(2);
				assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> composite.acquire(request));
				assertThat(composite.acquireAsync(request)).isCompletedExceptionally();
			});
	}

	private static LockBackend backendWithoutOrder() {
		BackendDescription description = new BackendDescription("heap", Set.of(LockMode.EXCLUSIVE), false, true, 1,
				Duration.ZERO, 1);
		LockStore store = mock(LockStore.class);
		LockBackend backend = mock(LockBackend.class);
		given(backend.description()).willReturn(description);
		given(backend.open(any())).willReturn(store);
		return backend;
	}

	private static String[] registries(AssertableApplicationContext context) {
		return context.getBeanNamesForType(LockRegistry.class);
	}

	private static String report(AssertableApplicationContext context, Class<?> type) {
		StringBuilder text = new StringBuilder();
		ConditionEvaluationReport.get(context.getSourceApplicationContext().getBeanFactory())
			.getConditionAndOutcomesBySource()
			.getOrDefault(type.getName(), new ConditionEvaluationReport.ConditionAndOutcomes())
			.forEach((outcome) -> text.append(outcome.getOutcome().getMessage()).append('\n'));
		return text.toString();
	}

	private static void lock(LockRegistry registry) {
		registry.acquire(LockRequest.of("order-1")).close();
	}

	static LockBackend ownBackend() {
		return new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 1, TimeSource.SYSTEM);
	}

	record Injected(LockRegistry plain, @Qualifier("redis") LockRegistry redis, @Qualifier("local") LockRegistry local,
			@Qualifier("redis") LockBackend redisBackend, @Qualifier("local") LockBackend localBackend) {

	}

	@Configuration(proxyBeanMethods = false)
	static class Decorated {

		@Bean
		@Primary
		LockRegistry decorated(@Qualifier("redis") LockRegistry redis, Queue<String> requested) {
			ProxyFactory proxy = new ProxyFactory(redis);
			proxy.addAdvice((MethodBeforeAdvice) (method, arguments, target) -> requested
				.add((arguments[0] instanceof LockRequest request) ? request.key() : (String) arguments[0]));
			return (LockRegistry) proxy.getProxy();
		}

	}

	/** Public, since a proxy may be defined by another class loader. */
	public static class SlotShop {

		@DistributedLock(key = "'llm'", permits = "${llm.slots:5}")
		public void ask() {
		}

	}

	/** Public, since a proxy may be defined by another class loader. */
	public static class Shop {

		private final Map<String, LockRegistry> registries;

		public Shop(Map<String, LockRegistry> registries) {
			this.registries = registries;
		}

		@DistributedLock("'order-1'")
		public String byDefault() {
			return whereItIsHeld();
		}

		@DistributedLock(key = "'order-1'", registry = "local")
		public String local() {
			return whereItIsHeld();
		}

		@DistributedLock(key = "'order-1'", registry = "composite")
		public String both() {
			return whereItIsHeld();
		}

		/** Acquires asynchronously, so that no thread re-enters its own lock. */
		private String whereItIsHeld() {
			Set<String> held = new TreeSet<>();
			for (String store : Set.of("redis", "local")) {
				LockRegistry registry = Objects
					.requireNonNull(this.registries.get("distlock" + StringUtils.capitalize(store) + "LockRegistry"));
				registry.acquireAsync(LockRequest.of("order-1").waitTime(Duration.ZERO))
					.handle((lock, failure) -> (lock != null) ? close(lock) : held.add(store))
					.join();
			}
			return String.join(" ", held);
		}

		private static boolean close(HeldLock lock) {
			lock.close();
			return false;
		}

	}

	public static class FairShop {

		@DistributedLock(fair = true)
		public void sell() {
		}

	}

}
