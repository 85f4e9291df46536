package io.github.distlock.sample.orders;

import io.github.distlock.sample.web.CallerCheck;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.Import;

/**
 * Run the order service, with the profile {@code orders}.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
@Import(CallerCheck.class)
public class OrderApplication {

	/**
	 * Start the service and return once it serves.
	 * @param args settings such as {@code --server.port=8000}
	 */
	public static void main(String[] args) {
		new SpringApplicationBuilder(OrderApplication.class).profiles("orders").run(args);
	}

}
