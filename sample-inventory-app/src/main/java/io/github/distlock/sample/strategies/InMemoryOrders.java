package io.github.distlock.sample.strategies;

import io.github.distlock.sample.shop.OrderService;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/**
 * The order service inside the lab's JVM, which has no other database.
 */
@Configuration(proxyBeanMethods = false)
@Profile("orders")
@Import(OrderService.class)
class InMemoryOrders {

	@Bean
	EmbeddedDatabase ordersDatabase() {
		return new EmbeddedDatabaseBuilder().setName("orders")
			.setType(EmbeddedDatabaseType.H2)
			.addScript("schema.sql")
			.build();
	}

	@Bean
	JdbcClient jdbcClient(EmbeddedDatabase database) {
		return JdbcClient.create(database);
	}

}
