package io.github.distlock.test.audit.bookshop;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;

/**
 * The application.
 */
@SpringBootApplication
@EnableJpaRepositories(considerNestedRepositories = true)
class BookshopApplication {

}
