package io.github.distlock.benchmarks.peers.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.JdkLocks;
import io.github.distlock.benchmarks.contenders.Locks;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.contenders.TryingLocks;
import io.github.distlock.benchmarks.contenders.UnavailableException;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionStatus;

/**
 * Locks of other libraries in a database.
 */
public final class JdbcContenders {

	private static final Set<Kind> JDBC = EnumSet.of(Kind.JDBC);

	private static final Duration LEASE = Duration.ofSeconds(30);

	private JdbcContenders() {
	}

	/**
	 * Return the contenders.
	 * @return in the order of the tables
	 */
	public static List<Contender> all() {
		return List.of(
				new Contender("spring-jdbc", "Spring Integration JdbcLockRegistry over DefaultLockRepository", JDBC,
						EnumSet.of(Ability.CYCLES, Ability.WAITS), JdbcContenders::springIntegration),
				new Contender("shedlock-jdbc",
						"ShedLock JdbcTemplateLockProvider with the time of the database, tries once", JDBC,
						EnumSet.of(Ability.CYCLES), JdbcContenders::shedLock),
				new Contender("jdbctemplate-advisory",
						"JdbcTemplate with pg_advisory_xact_lock in a transaction of its own (PostgreSQL)", JDBC,
						EnumSet.of(Ability.CYCLES, Ability.WAITS), JdbcContenders::advisory));
	}

	private static Locks springIntegration(Client client) {
		HikariDataSource pool = Pool.of(client);
		DefaultLockRepository repository = new DefaultLockRepository(pool);
		repository.setTransactionManager(new DataSourceTransactionManager(pool));
		if (pool.getJdbcUrl().startsWith("jdbc:postgresql:")) {
			// Its reference advises this for PostgreSQL.
			repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
		}
		repository.afterPropertiesSet();
		repository.afterSingletonsInstantiated();
		repository.start();
		return new JdkLocks(new JdbcLockRegistry(repository)::obtain);
	}

	/** What an application would write by hand. */
	private static Locks advisory(Client client) {
		HikariDataSource pool = Pool.of(client);
		if (!pool.getJdbcUrl().startsWith("jdbc:postgresql:")) {
			throw new UnavailableException("only PostgreSQL has pg_advisory_xact_lock");
		}
		DataSourceTransactionManager transactions = new DataSourceTransactionManager(pool);
		JdbcTemplate jdbc = new JdbcTemplate(pool);
		return new Locks() {

			@Override
			public Held lock(String key) {
				TransactionStatus transaction = transactions.getTransaction(null);
				jdbc.query("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", (row) -> {
				}, key);
				return () -> transactions.commit(transaction);
			}

			@Override
			public @Nullable Held tryLock(String key, Duration wait) {
				throw new UnsupportedOperationException();
			}

		};
	}

	private static Locks shedLock(Client client) {
		JdbcTemplateLockProvider provider = new JdbcTemplateLockProvider(
				JdbcTemplateLockProvider.Configuration.builder()
					.withJdbcTemplate(new JdbcTemplate(Pool.of(client)))
					.usingDbTime()
					.build());
		return (TryingLocks) (key) -> {
			SimpleLock lock = provider.lock(new LockConfiguration(Instant.now(), key, LEASE, Duration.ZERO))
				.orElse(null);
			return (lock != null) ? lock::unlock : null;
		};
	}

}
