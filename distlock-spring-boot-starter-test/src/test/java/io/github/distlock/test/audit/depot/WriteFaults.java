package io.github.distlock.test.audit.depot;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;

/**
 * Tables of which some method does not lock what it writes.
 */
final class WriteFaults {

	private WriteFaults() {
	}

	@Service
	static class Stock {

		private final JdbcClient jdbc;

		Stock(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@DistributedLock("'stock-' + #sku")
		public void deduct(String sku) {
			int quantity = this.jdbc.sql("SELECT quantity FROM stock WHERE sku = ?")
				.param(sku)
				.query(Integer.class)
				.single();
			this.jdbc.sql("UPDATE stock SET quantity = ? WHERE sku = ?").params(quantity - 1, sku).update();
		}

		/** The fault: no lock. */
		public void correct(String sku, int quantity) {
			this.jdbc.sql("UPDATE stock SET quantity = ? WHERE sku = ?").params(quantity, sku).update();
		}

		/** Another column: no fault. */
		public void relocate(String sku, String place) {
			this.jdbc.sql("UPDATE stock SET place = ? WHERE sku = ?").params(place, sku).update();
		}

	}

	@Service
	static class Prices {

		private final JdbcClient jdbc;

		Prices(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@DistributedLock("'price-' + #sku")
		public void change(String sku, int price) {
			this.jdbc.sql("UPDATE prices SET price = ? WHERE sku = ?").params(price, sku).update();
		}

		/** The fault: another lock. */
		@DistributedLock("'price-import'")
		public void importAll() {
			this.jdbc.sql("UPDATE prices SET price = 7").update();
		}

	}

	@Component
	static class SeatTable {

		private final JdbcClient jdbc;

		SeatTable(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		void assign(int seat, String guest) {
			this.jdbc.sql("MERGE INTO seats (id, guest) KEY (id) VALUES (?, ?)").params(seat, guest).update();
		}

	}

	@Service
	static class Booking {

		private final SeatTable seats;

		Booking(SeatTable seats) {
			this.seats = seats;
		}

		@DistributedLock("'seat-' + #seat")
		public void book(int seat, String guest) {
			this.seats.assign(seat, guest);
		}

	}

	/** The fault: its caller has no lock for what the other service locks. */
	@Service
	static class Moving {

		private final SeatTable seats;

		Moving(SeatTable seats) {
			this.seats = seats;
		}

		public void move(int seat, String guest) {
			this.seats.assign(seat, guest);
		}

	}

	@Service
	static class Coupons {

		private final JdbcClient jdbc;

		private final LockRegistry locks;

		Coupons(JdbcClient jdbc, LockRegistry locks) {
			this.jdbc = jdbc;
			this.locks = locks;
		}

		void redeem(String code) {
			try (HeldLock lock = this.locks.acquire(LockRequest.of("coupon-" + code))) {
				this.jdbc.sql("UPDATE coupons SET redeemed = TRUE WHERE code = ?").param(code).update();
			}
		}

		/** The fault: no lock. */
		void expire(String code) {
			this.jdbc.sql("DELETE FROM coupons WHERE code = ?").param(code).update();
		}

	}

}
