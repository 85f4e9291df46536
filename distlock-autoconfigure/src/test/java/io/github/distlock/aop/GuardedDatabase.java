package io.github.distlock.aop;

import java.time.Duration;

import javax.sql.DataSource;

import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/**
 * A database with one table, whose transactions commit under locks that are held.
 */
@Configuration(proxyBeanMethods = false)
class GuardedDatabase {

	@Bean
	static CommitGuard commitGuard() {
		return new CommitGuard(() -> new CommitTerms(true, Duration.ZERO));
	}

	@Bean(destroyMethod = "shutdown")
	DataSource dataSource() {
		return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
	}

	@Bean
	DataSourceTransactionManager transactionManager(DataSource dataSource) {
		return new DataSourceTransactionManager(dataSource);
	}

	@Bean
	JdbcTemplate jdbcTemplate(DataSource dataSource) {
		JdbcTemplate template = new JdbcTemplate(dataSource);
		template.execute("create table stock (id int)");
		return template;
	}

}
