package com.example.shop;

import java.io.PrintStream;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * Starts, calls locked methods, and prints what held them.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class ShopApplication {

	/**
	 * Start the application.
	 * @param arguments properties
	 */
	public static void main(String[] arguments) {
		PrintStream out = System.out;
		out.println("started");
		SpringApplication application = new SpringApplication(ShopApplication.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		try (ConfigurableApplicationContext context = application.run(arguments)) {
			StockService stock = context.getBean(StockService.class);
			out.println("private " + stock.callsItself());
			out.println("static " + stock.callsStatic());
		}
		catch (RuntimeException ex) {
			out.println("private " + ex);
		}
	}

	@Bean
	StockService stockService() {
		return new StockService();
	}

}
