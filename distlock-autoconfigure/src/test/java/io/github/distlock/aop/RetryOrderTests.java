package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.retry.RetryRegistry;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.spring6.fallback.FallbackDecorators;
import io.github.resilience4j.spring6.fallback.FallbackExecutor;
import io.github.resilience4j.spring6.retry.configure.RetryAspect;
import io.github.resilience4j.spring6.retry.configure.RetryConfigurationProperties;
import io.github.resilience4j.spring6.spelresolver.DefaultSpelResolver;
import io.github.resilience4j.spring6.spelresolver.SpelResolver;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.core.Ordered;
import org.springframework.core.StandardReflectionParameterNameDiscoverer;
import org.springframework.core.env.Environment;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests the retries of two libraries, inside and outside the lock.
 */
class RetryOrderTests {

	private static final List<String> ONE_ACQUISITION = List.of("acquire job", "run", "run", "release job");

	private static final List<String> TWO_ACQUISITIONS = List.of("acquire job", "run", "release job", "acquire job",
			"run", "release job");

	@Test
	void springRetryWithoutAnOrderRepeatsInsideOneAcquisition() {
		assertThat(events(SpringRetried.class, SpringRetryInside.class)).isEqualTo(ONE_ACQUISITION);
	}

	@Test
	void springRetryWithThatOrderAcquiresTheLockForEachAttempt() {
		assertThat(events(SpringRetried.class, SpringRetryOutside.class)).isEqualTo(TWO_ACQUISITIONS);
	}

	@Test
	void resilience4jWithoutAnOrderRepeatsInsideOneAcquisition() {
		assertThat(events(ResilienceRetried.class, Resilience.class)).isEqualTo(ONE_ACQUISITION);
	}

	@Test
	void resilience4jWithThatOrderAcquiresTheLockForEachAttempt() {
		assertThat(events(LockedApplication.of(ResilienceRetried.class, Resilience.class)
			.with("retry-aspect-order", Ordered.LOWEST_PRECEDENCE - 2000))).isEqualTo(TWO_ACQUISITIONS);
	}

	private static List<String> events(Class<?> bean, Class<?> configuration) {
		return events(LockedApplication.of(bean, configuration));
	}

	private static List<String> events(LockedApplication application) {
		try (AnnotationConfigApplicationContext context = application.start()) {
			InMemoryLocks locks = context.getBean(InMemoryLocks.class);
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Job.class).run());
			return List.copyOf(locks.events);
		}
	}

	abstract static class Job {

		private final InMemoryLocks locks;

		Job(InMemoryLocks locks) {
			this.locks = locks;
		}

		public abstract void run();

		void fail() {
			this.locks.events.add("run");
			throw new IllegalStateException("each time");
		}

	}

	static class SpringRetried extends Job {

		SpringRetried(InMemoryLocks locks) {
			super(locks);
		}

		@Override
		@DistributedLock("'job'")
		@Retryable(maxAttempts = 2, backoff = @Backoff(delay = 1))
		public void run() {
			fail();
		}

	}

	static class ResilienceRetried extends Job {

		ResilienceRetried(InMemoryLocks locks) {
			super(locks);
		}

		@Override
		@DistributedLock("'job'")
		@Retry(name = "job")
		public void run() {
			fail();
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
