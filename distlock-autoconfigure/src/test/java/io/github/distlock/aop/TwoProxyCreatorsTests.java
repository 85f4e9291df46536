package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.distlock.transaction.OnActiveTransaction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests applications with a second proxy creator, as the documentation of Apache Shiro
 * recommends.
 */
@ExtendWith(OutputCaptureExtension.class)
class TwoProxyCreatorsTests {

	@Test
	void aMethodIsLockedTwiceAndItsInnerLockIsInsideTheTransaction(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Orders.class, Creators.class).start()) {
			context.getBean(Orders.class).pay();
			assertThat(context.getBean(InMemoryLocks.class).requests).hasSize(2);
		}
		assertThat(output).contains("running transaction");
	}

	@Test
	void aMethodIsLockedOnceIfTheSecondCreatorAppliesOnlyItsOwnAdvisors(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Orders.class, Creators.class)
			.with("second.use-prefix", true)
			.with("on-active", OnActiveTransaction.FAIL)
			.start()) {
			context.getBean(Orders.class).pay();
			assertThat(context.getBean(InMemoryLocks.class).events)
				.isEqualTo(List.of("acquire order", "release order"));
		}
		assertThat(output).doesNotContain("running transaction");
	}

	static class Orders {

		@DistributedLock("'order'")
		@Transactional
		public void pay() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(GuardedDatabase.class)
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

}
