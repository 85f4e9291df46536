package io.github.distlock.test.audit.depot;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

/**
 * Calls methods whose fault {@link PlantedFaults} has found. {@code LockAuditTests} runs
 * it.
 */
@AuditedDepot
class RepeatedFaults {

	@Test
	void stock(@Autowired WriteFaults.Stock stock) {
		stock.correct("a", 8);
		stock.deduct("a");
	}

}
