package io.github.distlock.sample.orders;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * Run the order service, with the profile {@code orders}.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class OrderApplication {

	/**
	 * Start the service and return once it serves.
	 * @param args settings such as {@code --server.port=8000}
	 */
	public static void main(String[] args) {
		new SpringApplicationBuilder(OrderApplication.class).profiles("orders").run(args);
	}

}
