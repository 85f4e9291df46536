package io.github.distlock.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.aop.DistributedLockAdvisor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Auto-configuration for annotated methods.
 */
@ExtendWith(OutputCaptureExtension.class)
class DistlockAopAutoConfigurationTests {

	private final ApplicationContextRunner application = Contexts.withoutRedis()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withUserConfiguration(Application.class);

	@Test
	void withAspectJMethodsAreLocked() {
		this.application.run((context) -> {
			assertThat(context.getBean(Shop.class).sell()).isEqualTo("under order-1");
			assertThat(AopUtils.isCglibProxy(context.getBean(Shop.class))).isTrue();
		});
	}

	@Test
	void withoutAspectJMethodsAreLocked() {
		this.application.withClassLoader(new FilteredClassLoader("org.aspectj"))
			.run((context) -> assertThat(context.getBean(Shop.class).sell()).isEqualTo("under order-1"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "distlock.enabled=false", "distlock.enabled=FALSE" })
	void switchedOffMethodsRunUnlocked(String property) {
		this.application.withPropertyValues(property).run((context) -> {
			assertThat(context.getBean(Shop.class).sell()).isEqualTo("unlocked");
			assertThat(context.getBean(Shop.class).sell()).isEqualTo("unlocked");
		});
	}

	@Test
	void theAdvisorCreatesNoOtherBeanAndTheRegistryNotBeforeABeanWithLocks(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(Application.class, Witness.class, DistlockAopAutoConfiguration.class);
			context.addBeanFactoryPostProcessor((beanFactory) -> {
				for (String name : beanFactory.getBeanDefinitionNames()) {
					beanFactory.getBeanDefinition(name).setLazyInit(true);
				}
			});
			context.refresh();
			assertThat(flushed(output)).doesNotContain("not eligible for getting processed by all BeanPostProcessors");
			assertThat(context.getBeanFactory().containsSingleton("distlockAdvisor")).isTrue();
			assertThat(context.getBeanFactory().containsSingleton("locks")).isFalse();
			context.getBean(Shop.class).sell();
			assertThat(context.getBeanFactory().containsSingleton("locks")).isTrue();
		}
	}

	@Test
	void aBeanThatIsCreatedBeforeProxiesAreRunsUnlockedAndAWarningNamesIt(CapturedOutput output) {
		this.application.withUserConfiguration(EarlyBeans.class).run((context) -> {
			assertThat(context.getBean(EarlyShop.class).sell()).isEqualTo("unlocked");
			assertThat(flushed(output)).containsOnlyOnce("runs without its locks")
				.contains("Bean 'early' runs without its locks, such as that on " + EarlyShop.class.getName()
						+ ".sell(): Spring has created it before it could create proxies");
		});
	}

	@Test
	void theAdvisorIsInfrastructure() {
		this.application.run((context) -> assertThat(
				context.getSourceApplicationContext().getBeanFactory().getBeanDefinition("distlockAdvisor").getRole())
			.isEqualTo(BeanDefinition.ROLE_INFRASTRUCTURE));
	}

	@Test
	void theOrderOfTheAdvisorCanBeSet() {
		this.application.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder())
			.isEqualTo(DistributedLockAdvisor.DEFAULT_ORDER));
		this.application.withPropertyValues("distlock.aop.order=17")
			.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder()).isEqualTo(17));
	}

	@Test
	void theBodiesOfStagesRunOnTheConfiguredExecutor() {
		ApplicationContextRunner withExecutors = this.application.withBean("applicationTaskExecutor",
				SimpleAsyncTaskExecutor.class, () -> new SimpleAsyncTaskExecutor("task-"));
		withExecutors.withPropertyValues("spring.threads.virtual.enabled=true")
			.run((context) -> assertThat(context.getBean(Shop.class).thread().get(10, TimeUnit.SECONDS))
				.startsWith("distlock-work-"));
		withExecutors.withPropertyValues("distlock.aop.executor=applicationTaskExecutor")
			.run((context) -> assertThat(context.getBean(Shop.class).thread().get(10, TimeUnit.SECONDS))
				.startsWith("task-"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Shop shop() {
			return new Shop();
		}

		@Bean
		@Lazy
		LockRegistry locks() {
			// Grants every lock: the test only checks that it is called.
			return new UnlockedRegistry((key) -> new ReentrantLock());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Witness {

		@Bean
		FactoryBean<Object> neverAsked() {
			return new FactoryBean<>() {

				@Override
				public Object getObject() {
					throw new IllegalStateException("asked");
				}

				@Override
				public Class<?> getObjectType() {
					return Object.class;
				}

			};
		}

	}

	/** Public, since a proxy may be defined by another class loader. */
	public static class Shop {

		@DistributedLock("'order-1'")
		public String sell() {
			return LockContext.current().map((lock) -> "under " + lock.key()).orElse("unlocked");
		}

		@DistributedLock("'order-1'")
		public CompletableFuture<String> thread() {
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

	}

	public static class EarlyShop extends Shop {

		@Override
		@DistributedLock("'order-2'")
		public String sell() {
			return super.sell();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyBeans {

		@Bean
		EarlyShop early() {
			return new EarlyShop();
		}

		@Bean
		static BeanFactoryPostProcessor reader(EarlyShop early) {
			return (beanFactory) -> {
			};
		}

	}

}
