package io.github.distlock.test.audit.depot;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Transactions that begin before their lock, or end after it.
 */
final class TransactionFaults {

	private TransactionFaults() {
	}

	@Service
	static class Rooms {

		private final JdbcClient jdbc;

		Rooms(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		int free(String table, int id) {
			return this.jdbc.sql("SELECT free FROM " + table + " WHERE id = ?").param(id).query(Integer.class).single();
		}

		@DistributedLock("'room-' + #id")
		public void take(String table, int id, int free) {
			this.jdbc.sql("UPDATE " + table + " SET free = ? WHERE id = ?").params(free - 1, id).update();
		}

	}

	@Service
	static class Reservation {

		private final Rooms rooms;

		Reservation(Rooms rooms) {
			this.rooms = rooms;
		}

		/** The fault: reads before the lock. */
		@Transactional
		public void reserve(String table, int id) {
			this.rooms.take(table, id, this.rooms.free(table, id));
		}

		/** The fault: the same, by the same statements. */
		@Transactional
		public void upgrade(int id) {
			this.rooms.take("rooms", id, this.rooms.free("rooms", id) + 1);
		}

	}

	@Service
	static class Meters {

		private final JdbcClient jdbc;

		private final LockRegistry locks;

		Meters(JdbcClient jdbc, LockRegistry locks) {
			this.jdbc = jdbc;
			this.locks = locks;
		}

		/** The fault: the lock ends before the transaction. */
		@Transactional
		public void count(String table, int id) {
			try (HeldLock lock = this.locks.acquire(LockRequest.of("meter-" + id))) {
				int value = this.jdbc.sql("SELECT reading FROM " + table + " WHERE id = ?")
					.param(id)
					.query(Integer.class)
					.single();
				this.jdbc.sql("UPDATE " + table + " SET reading = ? WHERE id = ?").params(value + 1, id).update();
			}
		}

	}

}
