package io.github.distlock.test.audit.depot;

import io.github.distlock.test.audit.AuditedRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.SpringProperties;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The audit finds each planted fault once.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockAuditTests {

	@Test
	void eachPlantedFaultIsFoundOnceFromOneCallOnOneThread(CapturedOutput output) {
		String findings = AuditedRun.failureOf(PlantedFaults.class);
		assertThat(findings.lines().filter((line) -> line.startsWith("Table") || line.startsWith("Locks")))
			.containsExactlyInAnyOrder("Table 'stock': no lock covers all writes.",
					"Table 'prices': no lock covers all writes.", "Table 'seats': no lock covers all writes.",
					"Table 'coupons': no lock covers all writes.", "Table 'account': no lock covers all writes.",
					"Locks 'dock-*' (redis), 'truck-*' (redis): acquired in a circle.",
					"Locks 'blue' (redis), 'green' (redis), 'red' (redis): acquired in a circle.",
					"Table 'rooms': read before the lock, written under it.",
					"Table 'rooms': read before the lock, written under it.",
					"Table 'halls': read before the lock, written under it.",
					"Table 'ticket': read before the lock, written under it.",
					"Table 'meters': committed after the release of its lock.",
					"Table 'gauges': committed after the release of its lock.",
					"Table 'parcel': committed after the release of its lock.");
		assertThat(findings).contains("written without a lock: WriteFaults.Stock.correct (WriteFaults.java:",
				"written under 'stock-*' (redis): WriteFaults.Stock.deduct (WriteFaults.java:",
				"Write @DistributedLock with the key of 'stock-*' (redis) on WriteFaults.Stock.correct, or on its caller",
				", called by WriteFaults.Moving.move (WriteFaults.java:",
				"EntityFaults.Accounts.charge (at its commit)",
				"'truck-*' (redis) acquired: OrderFaults.Loading.load (OrderFaults.java:",
				"read without a lock: TransactionFaults.Rooms.free (TransactionFaults.java:",
				"'meter-1' (redis) released: TransactionFaults.Meters.count (TransactionFaults.java:");
		assertThat(findings).contains("TransactionFaults$Reservation.upgrade");
		assertThat(output).contains("Table 'coupons', a note:",
				"since it has a key from code, like the other one, perhaps for another row",
				"A warning: lock 'truck-*' (redis) for two keys, 'truck-3' and 'truck-4'.",
				"A warning: lock 'pallet-*' (redis) for two keys, 'pallet-1' and 'pallet-2'.");
		assertThat(AuditedRun.failureOf(RepeatedFaults.class)).isEmpty();
	}

	@Test
	void aPropertySwitchesItOnAndAContextThatIsClosedBeforeTheEndIsReported() {
		SpringProperties.setFlag("distlock.audit");
		try {
			assertThat(AuditedRun.failureOf(DirtiedFaults.class).lines())
				.filteredOn((line) -> line.startsWith("Table") || line.startsWith("Locks"))
				.containsExactly("Table 'stock': no lock covers all writes.");
		}
		finally {
			SpringProperties.setProperty("distlock.audit", null);
		}
	}

}
