package io.github.distlock.test.audit.bookshop;

import io.github.distlock.test.audit.AuditedApplication;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/**
 * Calls the application as its own tests would. {@code BookshopTests} runs it.
 */
@SpringBootTest(properties = "spring.flyway.locations=classpath:audit/bookshop")
@AuditedApplication
class BookshopUse {

	@Autowired
	private Catalogue catalogue;

	@Autowired
	private Orders orders;

	@Autowired
	private Jobs jobs;

	@Test
	void anOrderIsShipped() {
		long order = this.orders.place(1);
		this.jobs.sendMails();
		this.orders.ship(order);
		this.jobs.count();
	}

	@Test
	void anOrderIsCancelled() throws Exception {
		this.orders.cancel(this.orders.place(2));
		this.orders.deleteOld();
	}

	@Test
	void prices() {
		this.catalogue.reprice(1, 35);
		this.catalogue.raisePrices();
		this.catalogue.titles();
		this.catalogue.deliver(1, 3);
	}

}
