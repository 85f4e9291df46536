package io.github.distlock.sample.inventory;

import io.github.distlock.sample.web.CallerCheck;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.Import;

/**
 * Run one inventory node, with the profile {@code inventory}.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
@Import(CallerCheck.class)
public class InventoryApplication {

	/**
	 * Start the node and return once it serves.
	 * @param args settings such as {@code --server.port=8001}
	 */
	public static void main(String[] args) {
		new SpringApplicationBuilder(InventoryApplication.class).profiles("inventory").run(args);
	}

}
