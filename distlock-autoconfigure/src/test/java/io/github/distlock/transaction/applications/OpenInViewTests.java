package io.github.distlock.transaction.applications;

import java.util.List;

import io.github.distlock.DistributedLock;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locked methods that are called while an {@code EntityManager} is open on the thread, as
 * it is in a web request by default.
 */
@ExtendWith(OutputCaptureExtension.class)
class OpenInViewTests {

	private static final String WARNING = "was called while an EntityManager is open on the thread";

	private static Shops shops;

	private static ConfigurableApplicationContext application;

	@BeforeAll
	static void open() {
		shops = new Shops();
		application = shops.open(List.of(JpaApplication.class, Counter.class));
	}

	@AfterAll
	static void close() {
		shops.close();
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

		@DistributedLock("'shelf'")
		void count() {
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(Shelf.class)
	static class Counter {

	}

}
