package io.github.distlock.transaction.applications;

import jakarta.persistence.EntityManagerFactory;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.orm.jpa.JpaTransactionManager;

/**
 * A JPA application with its own transaction manager.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class JpaApplication {

	@Bean
	JpaTransactionManager transactionManager(EntityManagerFactory entityManagerFactory) {
		return new JpaTransactionManager(entityManagerFactory);
	}

	@Bean
	JpaTill till(Books books) {
		return new JpaTill(books);
	}

}
