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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
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
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests the retries of two libraries, inside and outside the lock.
 */
class RetryOrderTests {

	private static final List<String> ONE_ACQUISITION = List.of("acquire job", "run", "run", "release job");

	private static final List<String> TWO_ACQUISITIONS = List.of("acquire job", "run", "release job", "acquire job",
			"run", "release job");

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
		assertThat(events).isEqualTo(outside ? TWO_ACQUISITIONS : ONE_ACQUISITION);
	}

	/** Each library reads its own annotation. */
	static class Job {

		private final InMemoryLocks locks;

		Job(InMemoryLocks locks) {
			this.locks = locks;
		}

		@DistributedLock("'job'")
		@Retryable(maxAttempts = 2, backoff = @Backoff(delay = 1))
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
