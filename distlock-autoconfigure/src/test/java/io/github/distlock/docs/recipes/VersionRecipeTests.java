package io.github.distlock.docs.recipes;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.github.distlock.testing.RedisTestServer;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the recipe of a version beside a lock: another transaction, which has no lock,
 * writes the same row.
 */
class VersionRecipeTests {

	@Test
	void aWriterWithoutTheLockIsNotOverwritten() {
		try (RedisTestServer redis = RedisTestServer.start(); RecipeNode node = RecipeNode.start(redis, (context) -> {
		}, List.of("url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"), Jpa.class, AccountService.class)) {
			JdbcTemplate jdbc = new JdbcTemplate(node.bean(DataSource.class));
			jdbc.update("insert into account (id, balance, version) values ('a', 10, 0)");
			node.bean(AccountService.class).deposit("a", 5);
			assertThat(node.bean(AtomicInteger.class)).as("reads: the first one and that of a retry").hasValue(2);
			assertThat(jdbc.queryForObject("select balance from account", Long.class)).isEqualTo(115);
			jdbc.execute("shutdown");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@EnableResilientMethods
	static class Jpa {

		@Bean
		DataSource dataSource(Environment environment) {
			return new DriverManagerDataSource(environment.getRequiredProperty("url"));
		}

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setManagedTypes(PersistenceManagedTypes.of(Account.class.getName()));
			HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
			hibernate.setGenerateDdl(true);
			factory.setJpaVendorAdapter(hibernate);
			return factory;
		}

		@Bean
		PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

		@Bean
		AtomicInteger reads() {
			return new AtomicInteger();
		}

		/** Lets another connection deposit 100 after the first read. */
		@Bean
		EntityManager entities(EntityManagerFactory factory, AtomicInteger reads, DataSource dataSource) {
			EntityManager shared = SharedEntityManagerCreator.createSharedEntityManager(factory);
			return (EntityManager) Proxy.newProxyInstance(EntityManager.class.getClassLoader(),
					new Class<?>[] { EntityManager.class }, (proxy, method, arguments) -> {
						try {
							Object result = method.invoke(shared, arguments);
							if (method.getName().equals("find") && reads.incrementAndGet() == 1) {
								CompletableFuture
									.runAsync(() -> new JdbcTemplate(dataSource)
										.update("update account set balance = balance + 100, version = version + 1"))
									.join();
							}
							return result;
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

}
