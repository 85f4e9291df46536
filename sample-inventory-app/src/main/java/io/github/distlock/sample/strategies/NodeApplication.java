package io.github.distlock.sample.strategies;

import io.github.distlock.lab.web.CallerCheck;
import io.github.distlock.sample.shop.ShopApplication;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;

/**
 * The shop as the lab starts it: with the strategies, records and faults, and only for
 * callers that are allowed. With the profile {@code orders} it is the order service.
 */
@Configuration(proxyBeanMethods = false)
@Import({ ShopApplication.class, CallerCheck.class })
public class NodeApplication {

	/** The order service for the lab's own JVM: the name of its configuration class. */
	public static final String ORDERS_IN_LAB = InMemoryOrders.class.getName();

	/**
	 * Start an inventory node and return once it serves.
	 * @param args settings such as {@code --server.port=8001}
	 */
	public static void main(String[] args) {
		new SpringApplicationBuilder(NodeApplication.class).profiles("strategies").run(args);
	}

	/**
	 * Start the order service and return once it serves.
	 * @param args settings such as {@code --server.port=8000}
	 */
	public static void runOrders(String[] args) {
		new SpringApplicationBuilder(NodeApplication.class).profiles("strategies", "orders").run(args);
	}

	@Configuration(proxyBeanMethods = false)
	@Profile("!orders")
	@ComponentScan
	@EnableConfigurationProperties(NodeProperties.class)
	static class Strategies {

	}

}
