package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests locks inside and around real transactions.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockTransactionTests {

	@AutoClose
	private final AnnotationConfigApplicationContext context = application().start();

	private static LockedApplication application() {
		return LockedApplication.of(Transactions.class, Orders.class);
	}

	private int rows() {
		return rows(this.context);
	}

	private static int rows(AnnotationConfigApplicationContext context) {
		Integer rows = context.getBean(JdbcTemplate.class).queryForObject("select count(*) from stock", Integer.class);
		return (rows != null) ? rows : -1;
	}

	@Test
	void aTransactionInsideDoesNotCommitWhenTheLeaseIsLost() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.context.getBean(Orders.class).transactionInside(true))
			.withMessageContaining("The transaction is rolled back");
		assertThat(rows()).isZero();
		this.context.getBean(Orders.class).transactionInside(false);
		assertThat(rows()).isOne();
	}

	@Test
	void anOuterLockThatIsLostStopsTheCommitToo() {
		try (LockContext.Scope outer = LockContext.open(lost())) {
			assertThat(outer).isNotNull();
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.context.getBean(Orders.class).transactionInside(false))
				.withMessageContaining("'outer'");
			assertThat(rows()).isZero();
		}
	}

	private HeldLock lost() {
		InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);
		HeldLock lock = locks.acquire(LockRequest.of("outer"));
		locks.loseAll();
		return lock;
	}

	@Test
	void aRunningTransactionKeepsTheLockUntilItHasCommitted(CapturedOutput output) {
		List<String> events = this.context.getBean(InMemoryLocks.class).events;
		TransactionTemplate template = this.context.getBean(TransactionTemplate.class);
		for (int i = 1; i <= 2; i++) {
			template.executeWithoutResult((status) -> {
				this.context.getBean(Orders.class).insert();
				events.add("before commit");
			});
			assertThat(rows()).isEqualTo(i);
		}
		assertThat(events).containsExactly("acquire k", "before commit", "release k", "acquire k", "before commit",
				"release k");
		assertThat(output.getAll().split("was called inside a running transaction", -1)).hasSize(2);
	}

	@Test
	void aRunningTransactionKeepsTheLockUntilItHasRolledBack() {
		List<String> events = this.context.getBean(InMemoryLocks.class).events;
		this.context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
			assertThatIllegalStateException().isThrownBy(() -> this.context.getBean(Orders.class).fail());
			events.add("before rollback");
			status.setRollbackOnly();
		});
		assertThat(events).containsExactly("acquire fail", "before rollback", "release fail");
	}

	@Test
	void aRunningTransactionDoesNotCommitWhenTheLeaseIsLostAfterTheMethod(CapturedOutput output) {
		InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
				this.context.getBean(Orders.class).insert();
				locks.loseAll();
			}));
		assertThat(rows()).isZero();
		assertThat(locks.events).containsExactly("acquire k", "release k");
		assertThat(output).contains("was kept for a transaction, which was rolled back");
	}

	@Test
	void aMethodInARunningTransactionThatLosesItsLeaseThrows() {
		this.context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.context.getBean(Orders.class).transactionInside(true))
				.withMessageContaining("was lost while the method ran");
			status.setRollbackOnly();
		});
	}

	@Test
	void aNewTransactionInsideARunningOneCommitsUnderTheLockWhichIsKeptForTheRunningOne() {
		List<String> events = this.context.getBean(InMemoryLocks.class).events;
		this.context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
			this.context.getBean(Orders.class).newTransaction();
			status.setRollbackOnly();
			events.add("before rollback");
		});
		assertThat(events).containsExactly("acquire new", "before rollback", "release new");
		assertThat(rows()).isOne();
	}

	@Test
	void aRunningTransactionIsRefusedOnRequest() {
		try (AnnotationConfigApplicationContext context = application().with("on-active", "FAIL").start()) {
			context.getBean(TransactionTemplate.class)
				.executeWithoutResult((status) -> assertThatExceptionOfType(LockDefinitionException.class)
					.isThrownBy(() -> context.getBean(Orders.class).insert())
					.withMessageContaining("distlock.transaction.on-active=fail"));
			assertThat(context.getBean(InMemoryLocks.class).requests).isEmpty();
			context.getBean(Orders.class).insert();
		}
	}

	@Test
	void aRunningTransactionDoesNotKeepTheLockOnRequest() {
		try (AnnotationConfigApplicationContext context = application().with("on-active", "RELEASE").start()) {
			List<String> events = context.getBean(InMemoryLocks.class).events;
			context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
				context.getBean(Orders.class).insert();
				events.add("before commit");
			});
			assertThat(events).containsExactly("acquire k", "release k", "before commit");
			assertThat(rows(context)).isOne();
		}
	}

	static class Orders {

		private final ObjectProvider<InMemoryLocks> locks;

		private final JdbcTemplate jdbc;

		private final TransactionTemplate template;

		Orders(ObjectProvider<InMemoryLocks> locks, JdbcTemplate jdbc, TransactionTemplate template) {
			this.locks = locks;
			this.jdbc = jdbc;
			this.template = template;
		}

		@Transactional
		@DistributedLock("'inside'")
		void transactionInside(boolean lose) {
			this.jdbc.execute("insert into stock values (1)");
			if (lose) {
				this.locks.getObject().loseAll();
			}
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock("'new'")
		void newTransaction() {
			insert();
		}

		@DistributedLock("'k'")
		void insert() {
			this.jdbc.execute("insert into stock values (1)");
		}

		@DistributedLock("'fail'")
		void fail() {
			throw new IllegalStateException("mine");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(GuardedDatabase.class)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		TransactionTemplate transactionTemplate(PlatformTransactionManager transactionManager) {
			return new TransactionTemplate(transactionManager);
		}

	}

}
