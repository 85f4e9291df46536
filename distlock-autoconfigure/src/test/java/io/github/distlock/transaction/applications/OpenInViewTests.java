package io.github.distlock.transaction.applications;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.DistributedLock;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locked methods that are called while an {@code EntityManager} is open on the thread, as
 * it is in a web request by default.
 */
@ExtendWith(OutputCaptureExtension.class)
class OpenInViewTests {

	private static final String WARNING = "was called while an EntityManager is open on the thread";

	@AutoClose
	private static final Shops shops = new Shops();

	private static final ConfigurableApplicationContext application = shops
		.open(List.of(JpaApplication.class, Counter.class));

	@BeforeEach
	void restock() {
		shops.restock();
	}

	@Test
	void aCallWithAnOpenEntityManagerCausesOneWarningAndOtherCallsNone(CapturedOutput output) {
		Shelf shelf = application.getBean(Shelf.class);
		shelf.count();
		assertThat(output).doesNotContain(WARNING);
		inView(shelf::count);
		inView(shelf::count);
		assertThat(output.getAll().split("Shelf.count\\(\\) " + WARNING, -1)).hasSize(2);
		assertThat(output).contains("spring.jpa.open-in-view");
	}

	@Test
	void aCallAfterTheCommitReadsAgainInANewTransactionOnly() {
		Checkout checkout = application.getBean(Checkout.class);
		checkout.buy();
		assertThat(checkout.seen()).as("without, and with a new transaction").containsExactly(10, 7);
	}

	/** Binds an entity manager as Spring's OpenEntityManagerInViewInterceptor does. */
	private static void inView(Runnable request) {
		EntityManagerFactory factory = application.getBean(EntityManagerFactory.class);
		EntityManager manager = factory.createEntityManager();
		TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(manager));
		try {
			request.run();
		}
		finally {
			TransactionSynchronizationManager.unbindResource(factory);
			manager.close();
		}
	}

	static class Shelf {

		private final Books books;

		Shelf(Books books) {
			this.books = books;
		}

		@DistributedLock("'shelf'")
		void count() {
		}

		@DistributedLock("'shelf'")
		int recount() {
			return this.books.findById(1L).orElseThrow().quantity();
		}

		@DistributedLock("'shelf'")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		int recountInNewTransaction() {
			return this.books.findById(1L).orElseThrow().quantity();
		}

	}

	/**
	 * Reads the stock, and works under a lock after the commit.
	 */
	static class Checkout {

		private final List<Integer> seen = new ArrayList<>();

		private final Books books;

		private final Shelf shelf;

		private final ApplicationEventPublisher events;

		Checkout(Books books, Shelf shelf, ApplicationEventPublisher events) {
			this.books = books;
			this.shelf = shelf;
			this.events = events;
		}

		List<Integer> seen() {
			return List.copyOf(this.seen);
		}

		@Transactional
		void buy() {
			this.seen.clear();
			this.books.findById(1L).orElseThrow();
			this.events.publishEvent("bought");
		}

		@TransactionalEventListener
		void bought(String event) {
			shops.sell(3);
			this.seen.add(this.shelf.recount());
			this.seen.add(this.shelf.recountInNewTransaction());
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import({ Shelf.class, Checkout.class })
	static class Counter {

	}

}
