package io.github.distlock.test.audit.depot;

import java.sql.SQLException;
import java.util.List;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockLostException;
import io.github.distlock.Unguarded;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.metadata.HikariDataSourcePoolMetadata;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.jdbc.Sql;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * No false alarm: this class would fail at its end.
 */
@AuditedDepot
class SoundCodeTests {

	@Autowired
	private Shelves shelves;

	@Autowired
	private Packing packing;

	@Autowired
	private Boxes boxes;

	@Test
	void writesUnderTheSameLock() {
		this.shelves.locked(1);
		this.shelves.lockedElsewhere(1);
		this.shelves.byHand(1);
		this.shelves.byView(1);
		this.shelves.onAnotherThread(1);
	}

	@Test
	void aWriteUnderALockThatIsLost(@Autowired TestLocks locks) {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.shelves.whileItsLockIsLost(1, () -> locks.lose("shelf-1")));
	}

	@Test
	void writesThatNeedNoLock() {
		this.shelves.otherColumn(1);
		this.shelves.relative(1);
		this.shelves.checked(1);
		this.shelves.rowLocked(1);
		this.shelves.added(2);
		this.shelves.inventory(1);
	}

	@Test
	void entitiesAndKeptLocks() {
		this.packing.pack(1);
		this.boxes.empty(1);
		this.packing.check(1);
	}

	@Test
	void locksThatDoNotWaitForEachOther() {
		this.packing.inBothOrdersWithoutWaiting();
		this.packing.inBothOrdersBelowACommonLock();
		this.packing.readersInBothOrders();
		this.packing.crates(List.of(2, 1, 3));
		this.packing.doors(1);
		this.packing.mixed("a", "b");
		this.packing.mixed("b", "a");
	}

	@Test
	@Sql(statements = "UPDATE shelf SET quantity = 5")
	void whatTheTestItselfWrites(@Autowired JdbcClient jdbc) {
		jdbc.sql("UPDATE shelf SET quantity = 4 WHERE id = 1").update();
		this.shelves.locked(1);
	}

	@Test
	@Unguarded("shows that nothing here is judged")
	void unguardedTest() {
		this.shelves.write(1, 3);
	}

	/** The locks of the first call are kept until the end of the test. */
	@Test
	@Transactional
	void transactionOfATest() {
		this.packing.check(1);
		this.boxes.fill(1);
		this.shelves.locked(1);
	}

	/** The query writes the entity, which its own transaction would have written. */
	@Test
	@Transactional
	void transactionOfATestWithAFlush() {
		this.boxes.fill(1);
		this.boxes.count();
	}

	/** In the other order, but each call would release its lock without the test. */
	@Test
	@Transactional
	void transactionOfAnotherTest() {
		this.boxes.fill(1);
		this.shelves.locked(1);
	}

	@Test
	void theDataSourceKeepsItsTypeForInjectionUnwrapAndMeters(@Autowired HikariDataSource pool) throws SQLException {
		this.shelves.read(1);
		assertThat(pool.getClass()).isNotEqualTo(HikariDataSource.class);
		assertThat(pool.unwrap(HikariDataSource.class).getHikariPoolMXBean().getTotalConnections()).isPositive();
		assertThat(DataSourceUnwrapper.unwrap(pool, HikariConfigMXBean.class, HikariDataSource.class))
			.satisfies((unwrapped) -> assertThat(new HikariDataSourcePoolMetadata(unwrapped).getIdle()).isPositive());
	}

}
