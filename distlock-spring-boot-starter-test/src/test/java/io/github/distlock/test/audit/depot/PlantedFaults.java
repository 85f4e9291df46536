package io.github.distlock.test.audit.depot;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

/**
 * Calls each method once, on one thread. {@code LockAuditTests} runs it.
 */
@AuditedDepot
class PlantedFaults {

	@Test
	void stock(@Autowired WriteFaults.Stock stock) {
		stock.deduct("a");
		stock.correct("a", 7);
		stock.relocate("a", "right");
	}

	@Test
	void prices(@Autowired WriteFaults.Prices prices) {
		prices.change("a", 8);
		prices.importAll();
	}

	@Test
	void seats(@Autowired WriteFaults.Booking booking, @Autowired WriteFaults.Moving moving) {
		booking.book(1, "one");
		moving.move(1, "two");
	}

	@Test
	void coupons(@Autowired WriteFaults.Coupons coupons) {
		coupons.redeem("a");
		coupons.redeem("b");
		coupons.expire("a");
	}

	@Test
	void accounts(@Autowired EntityFaults.Accounts accounts) {
		accounts.deposit(1);
		accounts.charge(1);
	}

	@Test
	void loading(@Autowired OrderFaults.Loading loading) {
		loading.load();
		loading.unload();
		loading.reload(3, 4);
	}

	@Test
	void colours(@Autowired OrderFaults.Colours colours) {
		colours.mix();
	}

	@Test
	void reservation(@Autowired TransactionFaults.Reservation reservation) {
		reservation.reserve("rooms", 1);
		reservation.reserve("halls", 1);
		reservation.upgrade(1);
	}

	@Test
	void meters(@Autowired TransactionFaults.Meters meters) {
		meters.count("meters", 1);
		meters.count("gauges", 1);
	}

	@Test
	void desk(@Autowired EntityFaults.Desk desk) {
		desk.serve(1);
	}

	@Test
	void loop(@Autowired OrderFaults.Pallets pallets) {
		pallets.clear(List.of(1, 2));
	}

	@Test
	void parcels(@Autowired EntityFaults.Tickets tickets) {
		tickets.nextByHand(1);
	}

}
