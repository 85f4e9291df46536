package io.github.distlock.test.audit.depot;

import io.github.distlock.test.AutoConfigureTestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;

/**
 * Has no annotation of the audit, writes as the context starts, and closes the context
 * before its end. {@code LockAuditTests} runs it.
 */
@SpringBootTest(properties = { "spring.sql.init.schema-locations=classpath:audit/depot.sql",
		"spring.sql.init.mode=always", "spring.flyway.enabled=false", "spring.autoconfigure.exclude=",
		"spring.jpa.hibernate.ddl-auto=none", "spring.datasource.generate-unique-name=true" })
@AutoConfigureTestLocks
@DirtiesContext(classMode = DirtiesContext.ClassMode.AFTER_EACH_TEST_METHOD)
class DirtiedFaults {

	@Test
	void stock(@Autowired WriteFaults.Stock stock) {
		stock.deduct("a");
		stock.correct("a", 7);
	}

	@Test
	void whatTheTestWritesAtTheStartNeedsNoLock(@Autowired Shelves shelves) {
		shelves.locked(1);
	}

	@TestConfiguration
	static class Preparation {

		@Bean
		ApplicationRunner shelf(JdbcClient jdbc) {
			return (arguments) -> jdbc.sql("UPDATE shelf SET quantity = 9").update();
		}

	}

}
