package io.github.distlock.sample.inventory;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * Run one inventory node, with the profile {@code inventory}.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class InventoryApplication {

	/**
	 * Start the node and return once it serves.
	 * @param args settings such as {@code --server.port=8001}
	 */
	public static void main(String[] args) {
		new SpringApplicationBuilder(InventoryApplication.class).profiles("inventory").run(args);
	}

}
