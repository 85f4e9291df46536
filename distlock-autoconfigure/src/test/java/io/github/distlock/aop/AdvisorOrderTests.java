package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.aop.LockedApplication.Recording;
import io.github.distlock.transaction.OnActiveTransaction;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.retry.RetryRegistry;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.spring6.fallback.FallbackDecorators;
import io.github.resilience4j.spring6.fallback.FallbackExecutor;
import io.github.resilience4j.spring6.retry.configure.RetryAspect;
import io.github.resilience4j.spring6.retry.configure.RetryConfigurationProperties;
import io.github.resilience4j.spring6.spelresolver.DefaultSpelResolver;
import io.github.resilience4j.spring6.spelresolver.SpelResolver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.StandardReflectionParameterNameDiscoverer;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests the order of the lock advisor among other advisors.
 */
@ExtendWith(OutputCaptureExtension.class)
class AdvisorOrderTests {

	@AutoClose
	private final AnnotationConfigApplicationContext context = LockedApplication.of(Everything.class, Orders.class)
		.start();

	private final InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);

	private final Orders orders = this.context.getBean(Orders.class);

	@Test
	void eachRetryAcquiresAnew() {
		assertThatIllegalStateException().isThrownBy(() -> this.orders.retried());
		assertThat(this.locks.events).containsExactly("acquire retried", "run", "release retried", "acquire retried",
				"run", "release retried", "acquire retried", "run", "release retried");
	}

	@Test
	void theLockIsInsideOfAsynchronousRetriedAndLimitedCallsAndOutsideOfCachesAndTransactions() throws Exception {
		Advised proxy = (Advised) this.orders;
		assertThat(proxy.getAdvisors())
			.extracting((advisor) -> advisor.getAdvice().getClass().getSimpleName().replaceFirst("Annotation", ""))
			.filteredOn((name) -> !name.equals("ExposeInvocationInterceptor"))
			.endsWith("LockInterceptor", "CacheInterceptor", "TransactionInterceptor")
			.startsWith("AsyncExecutionInterceptor")
			.contains("RetryInterceptor", "ConcurrencyLimitInterceptor")
			.hasSize(6);
		assertThat(this.orders.asynchronous().get(10, TimeUnit.SECONDS)).isNotEqualTo(Thread.currentThread().getName());
		assertThat(this.locks.events).hasSize(2);
	}

	@Test
	void theTransactionHasCommittedWhenTheLockIsReleased() {
		JdbcTemplate jdbc = this.context.getBean(JdbcTemplate.class);
		this.locks.onRelease = () -> this.locks.events
			.add("rows " + jdbc.queryForObject("select count(*) from stock", Integer.class) + ", active "
					+ TransactionSynchronizationManager.isActualTransactionActive());
		this.orders.transactional(jdbc);
		assertThat(this.locks.events).containsExactly("acquire tx", "transaction true", "rows 1, active false",
				"release tx");
	}

	@Test
	void aCachedResultIsReadUnderTheLock() {
		this.orders.cached();
		this.orders.cached();
		assertThat(this.locks.events).containsExactly("acquire cached", "run", "release cached", "acquire cached",
				"release cached");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aTransactionOutsideOfTheLockIsRefusedWithBothOrders(boolean classProxies) {
		LockedApplication application = LockedApplication.of(TransactionsFirst.class, Orders.class);
		(classProxies ? application.withClassProxies() : application).assertRefused(
				"(order " + DistributedLockAdvisor.DEFAULT_ORDER + ")", "Set distlock.aop.order to a lower number",
				"released before the commit");
		application.with("order", "99").start().close();
	}

	@Test
	void aTransactionOutsideOfAnUnlockedMethodIsAccepted() {
		LockedApplication.of(TransactionsFirst.class, Separate.class).start().close();
	}

	/** As the documentation of Apache Shiro recommends. */
	@Test
	void withTwoProxyCreatorsAMethodIsLockedTwiceAndItsInnerLockIsInsideTheTransaction(CapturedOutput output) {
		assertThat(LockedApplication.of(Payments.class, Creators.class).call(Payments.class, Payments::pay).requests)
			.hasSize(2);
		assertThat(output).contains("running transaction");
	}

	@Test
	void aMethodIsLockedOnceIfTheSecondCreatorAppliesOnlyItsOwnAdvisors(CapturedOutput output) {
		assertThat(LockedApplication.of(Payments.class, Creators.class)
			.with("second.use-prefix", true)
			.with("on-active", OnActiveTransaction.FAIL)
			.call(Payments.class, Payments::pay).events).isEqualTo(List.of("acquire order", "release order"));
		assertThat(output).doesNotContain("running transaction");
	}

	/** Of two other libraries. */
	@ParameterizedTest(name = "{0} with the order {1}")
	@CsvSource({ "SpringRetryInside, ", "SpringRetryOutside, ", "Resilience, ", "Resilience, -2000" })
	void withoutAnOrderTheRetriesAreInsideOneAcquisitionAndWithThatOrderEachAttemptAcquires(String library,
			@Nullable Integer order) {
		LockedApplication application = LockedApplication.of(Job.class,
				ClassUtils.resolveClassName(getClass().getName() + "$" + library, null));
		if (order != null) {
			application.with("retry-aspect-order", Ordered.LOWEST_PRECEDENCE + order);
		}
		List<String> events = application.call(Job.class,
				(job) -> assertThatIllegalStateException().isThrownBy(job::run)).events;
		boolean outside = order != null || library.equals("SpringRetryOutside");
		assertThat(events)
			.isEqualTo(outside ? List.of("acquire job", "run", "release job", "acquire job", "run", "release job")
					: List.of("acquire job", "run", "run", "release job"));
	}

	static class Orders extends Recording {

		@Retryable(maxRetries = 2, delay = 0)
		@DistributedLock("'retried'")
		void retried() {
			this.locks.events.add("run");
			throw new IllegalStateException("again");
		}

		@Transactional
		@DistributedLock("'tx'")
		void transactional(JdbcTemplate jdbc) {
			this.locks.events.add("transaction " + TransactionSynchronizationManager.isActualTransactionActive());
			jdbc.execute("insert into stock values (1)");
		}

		@Async
		@ConcurrencyLimit(1)
		@DistributedLock("'async'")
		CompletableFuture<String> asynchronous() {
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

		@Cacheable("orders")
		@DistributedLock("'cached'")
		String cached() {
			this.locks.events.add("run");
			return "cached";
		}

	}

	static class Separate {

		@Transactional
		void transactional() {
		}

		@DistributedLock
		void locked() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(LockedApplication.GuardedDatabase.class)
	@EnableAsync
	@EnableCaching
	@EnableResilientMethods
	@EnableTransactionManagement
	static class Everything {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

		@Bean
		SimpleAsyncTaskExecutor taskExecutor() {
			return new SimpleAsyncTaskExecutor("orders-");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(LockedApplication.GuardedDatabase.class)
	@EnableTransactionManagement(order = 100)
	static class TransactionsFirst {

	}

	static class Payments {

		@DistributedLock("'order'")
		@Transactional
		public void pay() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(LockedApplication.GuardedDatabase.class)
	@EnableTransactionManagement
	static class Creators {

		@Bean
		static DefaultAdvisorAutoProxyCreator second(Environment environment) {
			DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
			creator.setUsePrefix(environment.getProperty("second.use-prefix", boolean.class, false));
			creator.setProxyTargetClass(true);
			return creator;
		}

	}

	/** Each library reads its own annotation. */
	static class Job extends Recording {

		@DistributedLock("'job'")
		@org.springframework.retry.annotation.Retryable(maxAttempts = 2, backoff = @Backoff(delay = 1))
		@Retry(name = "job")
		public void run() {
			this.locks.run();
			throw new IllegalStateException("each time");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	static class SpringRetryInside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry(order = Ordered.LOWEST_PRECEDENCE - 2000)
	static class SpringRetryOutside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy
	static class Resilience {

		@Bean
		RetryAspect retryAspect(ConfigurableBeanFactory beanFactory, Environment environment) {
			RetryConfigurationProperties properties = new RetryConfigurationProperties();
			Integer order = environment.getProperty("retry-aspect-order", Integer.class);
			if (order != null) {
				properties.setRetryAspectOrder(order);
			}
			SpelResolver resolver = new DefaultSpelResolver(new SpelExpressionParser(),
					new StandardReflectionParameterNameDiscoverer(), beanFactory);
			RetryRegistry retries = RetryRegistry
				.of(RetryConfig.custom().maxAttempts(2).waitDuration(Duration.ofMillis(1)).build());
			return new RetryAspect(properties, retries, List.of(),
					new FallbackExecutor(resolver, new FallbackDecorators(List.of())), resolver, null);
		}

	}

}
