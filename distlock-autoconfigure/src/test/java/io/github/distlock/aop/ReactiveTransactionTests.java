package io.github.distlock.aop;

import io.github.distlock.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests locks around reactive transactions.
 */
class ReactiveTransactionTests {

	@Test
	void aReactiveTransactionBeginsAndCommitsUnderTheLock() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Transactions.class, Orders.class)
			.start()) {
			InMemoryLocks locks = context.getBean(InMemoryLocks.class);
			Mono<String> order = context.getBean(Orders.class).order();
			assertThat(locks.events).isEmpty();
			assertThat(order.block()).isEqualTo("ordered");
			assertThat(locks.events).containsExactly("acquire tx", "begin", "body", "commit", "release tx");
		}
	}

	static class Orders {

		private final ObjectProvider<InMemoryLocks> locks;

		Orders(ObjectProvider<InMemoryLocks> locks) {
			this.locks = locks;
		}

		@Transactional
		@DistributedLock("'tx'")
		Mono<String> order() {
			return Mono.fromCallable(() -> {
				this.locks.getObject().events.add("body");
				return "ordered";
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		ReactiveTransactionManager transactionManager(ObjectProvider<InMemoryLocks> locks) {
			return new WrittenTransactions(locks);
		}

	}

	record WrittenTransactions(ObjectProvider<InMemoryLocks> locks) implements ReactiveTransactionManager {

		@Override
		public Mono<ReactiveTransaction> getReactiveTransaction(@Nullable TransactionDefinition definition) {
			return write("begin").thenReturn(new ReactiveTransaction() {
			});
		}

		@Override
		public Mono<Void> commit(ReactiveTransaction transaction) {
			return write("commit");
		}

		@Override
		public Mono<Void> rollback(ReactiveTransaction transaction) {
			return write("rollback");
		}

		private Mono<Void> write(String event) {
			return Mono.fromRunnable(() -> this.locks.getObject().events.add(event));
		}

	}

}
