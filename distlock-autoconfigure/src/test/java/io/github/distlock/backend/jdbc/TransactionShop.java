package io.github.distlock.backend.jdbc;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.DistributedLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.OnFailure;
import io.github.distlock.autoconfigure.DistlockAopAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockLocalAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockTransactionAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockTransactionStoreAutoConfiguration;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application whose locks are transactions, as one JVM of several.
 */
final class TransactionShop implements AutoCloseable {

	final HikariDataSource pool;

	final Sales sales;

	final TransactionTemplate template;

	final LockRegistry registry;

	final JdbcTemplate jdbc;

	final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	TransactionShop(HikariDataSource pool) {
		this(pool, List.of("distlock.backend=transaction", "distlock.shutdown-grace-period=0s"),
				(context) -> context.register(Sales.class));
	}

	/**
	 * Start the application.
	 * @param beans registers beans beside those of the store
	 */
	TransactionShop(HikariDataSource pool, List<String> properties,
			Consumer<AnnotationConfigApplicationContext> beans) {
		this.pool = pool;
		TestPropertyValues.of(properties).applyTo(this.context);
		this.context.registerBean("dataSource", DataSource.class, () -> pool);
		this.context.registerBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(pool));
		beans.accept(this.context);
		this.context.register(Transactions.class, DistlockAopAutoConfiguration.class,
				DistlockTransactionAutoConfiguration.class, DistlockTransactionStoreAutoConfiguration.class,
				DistlockLocalAutoConfiguration.class, DistlockAutoConfiguration.class);
		try {
			this.context.refresh();
		}
		catch (RuntimeException ex) {
			pool.close();
			throw ex;
		}
		this.sales = this.context.getBeanProvider(Sales.class).getIfAvailable(Sales::new);
		this.template = new TransactionTemplate(this.context.getBean(JdbcTransactionManager.class));
		this.registry = this.context.getBean("distlockTransactionLockRegistry", LockRegistry.class);
		this.jdbc = new JdbcTemplate(pool);
	}

	/** Take a lock for the running transaction, or for a short one. */
	void take(String key) {
		this.sales.once(key, () -> {
		});
	}

	/** A program that holds a lock in a transaction until it is killed. */
	public static void main(String[] args) {
		PrintStream out = System.out;
		out.println("started");
		new TransactionShop(new TestDatabase(args[0], args[1], args[2]).pool(2)).sales.waiting(args[3], () -> {
			out.println("held");
			return new CompletableFuture<>().join();
		});
	}

	@Override
	public void close() {
		this.context.close();
		this.pool.close();
	}

	@EnableTransactionManagement(proxyTargetClass = true)
	static class Transactions {

	}

	static class Sales {

		@DistributedLock(key = "#key", waitTime = "60s")
		@Transactional
		public <T extends @Nullable Object> T waiting(String key, Supplier<T> work) {
			return work.get();
		}

		@DistributedLock(key = "#key", waitTime = "0")
		@Transactional
		public void once(String key, Runnable work) {
			work.run();
		}

		@DistributedLock(key = "#key", waitTime = "50ms", onFailure = OnFailure.SKIP)
		@Transactional
		public @Nullable String skipped(String key, Supplier<@Nullable String> work) {
			return work.get();
		}

		@DistributedLock(key = "#key", waitTime = "50ms", fallback = "otherwise")
		@Transactional
		public String replaced(String key, Supplier<String> work) {
			return work.get();
		}

		String otherwise(String key, Supplier<String> work) {
			return "otherwise";
		}

		@DistributedLock(key = "#key", waitTime = "50ms")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void anew(String key, Runnable work) {
			work.run();
		}

		@DistributedLock(key = "#keys", waitTime = "0")
		@Transactional
		public void both(List<String> keys) {
		}

		/** By the transaction, or never. */
		@DistributedLock(key = "#key", waitTime = "-1")
		@Transactional(timeout = 1)
		public void timed(String key) {
		}

		@DistributedLock(key = "#keys", waitTime = "60s")
		@Transactional
		public void all(List<String> keys, Runnable work) {
			work.run();
		}

	}

}
