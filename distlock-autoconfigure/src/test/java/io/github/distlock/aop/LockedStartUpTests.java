package io.github.distlock.aop;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the beans and log messages of an application at start-up.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockedStartUpTests {

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

	static class Plain {

		@DistributedLock
		void run() {
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

}
