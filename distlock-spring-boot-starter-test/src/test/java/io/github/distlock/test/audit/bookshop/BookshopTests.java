package io.github.distlock.test.audit.bookshop;

import io.github.distlock.test.audit.AuditedRun;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each finding in the application, judged.
 */
class BookshopTests {

	/**
	 * A change of the price writes back the copies that another instance may have sold
	 * meanwhile: a fault. The clean-up has another lock than the orders that it deletes,
	 * which is harmless, since it deletes only orders that do not change any more: it
	 * would be an exception.
	 */
	@Test
	void oneFaultAndOneExceptionAreFound() {
		assertThat(AuditedRun.failureOf(BookshopUse.class).lines())
			.contains("Table 'book': no lock covers all writes.",
					"  written without a lock: Catalogue.reprice (at its commit)",
					"Table 'customer_order': no lock covers all writes.")
			.filteredOn((line) -> line.startsWith("Table") || line.startsWith("Locks"))
			.hasSize(2);
	}

}
