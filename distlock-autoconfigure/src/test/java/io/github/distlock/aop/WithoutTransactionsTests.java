package io.github.distlock.aop;

import io.github.distlock.DistributedLock;
import io.github.distlock.testing.WithoutJars;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that spring-tx is optional.
 */
class WithoutTransactionsTests {

	@Test
	void methodsAreLockedWithoutSpringTx() throws Exception {
		WithoutJars.run(Application.class, "spring-tx", "aspectj");
	}

	/**
	 * Runs in a class loader of its own.
	 */
	public static class Application implements Runnable {

		@Override
		public void run() {
			assertThat(ClassUtils.isPresent("org.springframework.transaction.TransactionManager", null)).isFalse();
			try (AnnotationConfigApplicationContext context = LockedApplication.of(Orders.class).start()) {
				context.getBean(Orders.class).run();
				assertThat(context.getBean(Orders.class).reactive().block()).isEqualTo("done");
				assertThat(context.getBean(InMemoryLocks.class).events).containsExactly("acquire k", "release k",
						"acquire r", "release r");
			}
		}

	}

	public static class Orders {

		@DistributedLock("'k'")
		public void run() {
		}

		@DistributedLock("'r'")
		public Mono<String> reactive() {
			return Mono.just("done");
		}

	}

}
