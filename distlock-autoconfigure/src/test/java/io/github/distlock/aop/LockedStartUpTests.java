package io.github.distlock.aop;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the beans and log messages of an application at start-up.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockedStartUpTests {

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void methodsAreLockedWithAndWithoutAspectj(boolean aspectj) {
		LockedApplication application = aspectj ? LockedApplication.of(OpenBean.class, Aspects.class)
				: LockedApplication.of(OpenBean.class)
					.with((context) -> context.setClassLoader(new FilteredClassLoader("org.aspectj")));
		try (AnnotationConfigApplicationContext context = application.start()) {
			assertThat(context.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME).getClass().getSimpleName())
				.isEqualTo(
						aspectj ? "AnnotationAwareAspectJAutoProxyCreator" : "InfrastructureAdvisorAutoProxyCreator");
			context.getBean(OpenBean.class).run();
			assertThat(context.getBean(InMemoryLocks.class).events).hasSize(2);
		}
	}

	@Test
	void noBeanIsCreatedEarlyAndTheRegistryNotBeforeTheFirstCall(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Plain.class, Witness.class)
			.with((starting) -> starting.addBeanFactoryPostProcessor((beanFactory) -> {
				if (beanFactory.containsBeanDefinition("locks")) {
					beanFactory.getBeanDefinition("locks").setLazyInit(true);
				}
			}))
			.start()) {
			assertThat(output).doesNotContain("not eligible for getting processed by all BeanPostProcessors");
			assertThat(context.getBeanFactory().containsSingleton("locks")).isFalse();
			context.getBean(Plain.class).run();
			assertThat(context.getBeanFactory().containsSingleton("locks")).isTrue();
		}
	}

	@Test
	void aDisabledApplicationLogsItOnce(CapturedOutput output) {
		LockedApplication.of(Plain.class).with("enabled", false).start().close();
		assertThat(output.getAll().split("distlock.enabled is false", -1)).hasSize(2);
	}

	static class Plain {

		@DistributedLock
		void run() {
		}

	}

	public static class OpenBean {

		@DistributedLock
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy
	static class Aspects {

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

}
