package io.github.distlock.sample.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The shop. With the profile {@code orders} it is the order service, else an inventory
 * node.
 */
@SpringBootApplication
public class ShopApplication {

	/**
	 * Start the order service or a node.
	 * @param args settings such as {@code --server.port=8002}
	 */
	public static void main(String[] args) {
		SpringApplication.run(ShopApplication.class, args);
	}

}
