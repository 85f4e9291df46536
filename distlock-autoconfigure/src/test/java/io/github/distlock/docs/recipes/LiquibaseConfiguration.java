package io.github.distlock.docs.recipes;

import java.time.Duration;

import javax.sql.DataSource;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import liquibase.Liquibase;
import liquibase.exception.LiquibaseException;
import liquibase.integration.spring.SpringLiquibase;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class LiquibaseConfiguration {

	@Bean
	SpringLiquibase liquibase(DataSource dataSource, LockRegistry locks) {
		SpringLiquibase liquibase = new SpringLiquibase() {

			@Override
			protected void performUpdate(Liquibase update) throws LiquibaseException {
				LockRequest request = LockRequest.of("liquibase").waitTime(Duration.ofMinutes(10));
				try (HeldLock lock = locks.acquire(request)) {
					update.forceReleaseLocks(); // that of a JVM that was killed
					super.performUpdate(update);
				}
			}

		};
		liquibase.setDataSource(dataSource);
		liquibase.setChangeLog("classpath:db/changelog/db.changelog-master.yaml");
		return liquibase;
	}

}
